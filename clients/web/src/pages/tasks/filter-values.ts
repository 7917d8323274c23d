import type { TaskFilter } from '../../requests/tasks.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HOUR_MS = 3_600_000;

/** What one field searches: an id, or else a tag. */
export function toSearch(text: string): { id: string | undefined; tag: string | undefined } {
  const value = text.trim();
  const isId = UUID.test(value);
  return { id: isId ? value.toLowerCase() : undefined, tag: isId ? undefined : value || undefined };
}

export const AGES = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
] as const;

/** The time that was so many hours ago, to the minute. */
export function hoursAgo(hours: number, now: number): string {
  return new Date(Math.floor((now - hours * HOUR_MS) / 60_000) * 60_000).toISOString();
}

/** A filter in words, such as "status failed, tag release". */
export function describeFilter(filter: TaskFilter): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name.replaceAll('_', ' ').replace(' id', '')} ${value}`)
    .join(', ');
}
