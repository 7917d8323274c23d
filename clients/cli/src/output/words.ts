import type { components } from '@agent-fleet/sdk';

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in its largest whole unit, such as `12 min`. */
export function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** A time as people say it, such as `12 min ago` or `in 3 h`; an empty text for null. */
export function relativeTime(time: string | null | undefined, now = Date.now()): string {
  if (time === null || time === undefined) return '';
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return time;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

type Usage = components['schemas']['Usage'];
type Cost = components['schemas']['Cost'];
type Spent = components['schemas']['Spent'];

/** Such as `12,345 in (1,000 cached), 678 out`; undefined if nothing was reported. */
export function usageText(usage: Usage | null | undefined): string | undefined {
  if (!usage) return undefined;
  const { input_tokens, cached_input_tokens, output_tokens } = usage;
  const cached = cached_input_tokens > 0 ? ` (${count(cached_input_tokens)} cached)` : '';
  return `${count(input_tokens)} in${cached}, ${count(output_tokens)} out`;
}

/** Such as `$0.0123`, or `~$0.0123` if it is estimated. */
export function costText(cost: (Pick<Cost, 'amount'> & Partial<Cost>) | null | undefined): string | undefined {
  if (!cost) return undefined;
  // Two decimals at least, and no zeros after them.
  return `${cost.estimated ? '~' : ''}$${cost.amount.toFixed(6).replace(/0{1,4}$/, '')}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** What an agent or a fleet has used; nothing if no attempt has reported any. */
export function spentFields(spent: Spent | undefined): (readonly [string, string | undefined])[] {
  if (!spent || spent.attempts === 0) return [];
  return [
    ['tokens', usageText(spent)],
    ['cost', costText(spent.cost)],
  ];
}
