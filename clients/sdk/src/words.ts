/** Units of time with their seconds, the longest first. */
export const TIME_UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in its largest unit, such as `12 min`. What is begun does not count, unless it is rounded. */
export function duration(seconds: number, toWhole = Math.floor): string {
  const [unit, size] = TIME_UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${toWhole(seconds / size)} ${unit}`;
}

/** A time as people say it: `now`, `12 min ago`, `in 3 h`. An empty text for null; what is no time stays as it is. */
export function relativeTime(time: string | null | undefined, now = Date.now()): string {
  if (time === null || time === undefined) return '';
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return time;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds, Math.round)}`;
}

/** What the roles of an option do. */
const ROLES = { allow: 'Allow', deny: 'Deny', allow_always: 'Always allow', other: '' };

/** What an option of an input request does, in our words, unless its label begins with them. */
export function optionLabel({ label, role }: { label: string; role: keyof typeof ROLES }): string {
  const word = ROLES[role];
  const begin = label.toLowerCase();
  const isSaid = begin.startsWith(word.toLowerCase()) || (role === 'allow_always' && begin.startsWith('allow always'));
  return isSaid ? label : `${word}: ${label}`;
}
