import type { TaskFilter } from '../../requests/tasks.ts';
import { plural } from '../../text/numbers.ts';
import { toLocalInput } from '../../text/times.ts';

const HOUR_MS = 3_600_000;

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

/** How far a search has looked that says where the next page begins: an id begins with its time. */
export function searchedText(rows: number, next: { after?: string } | undefined, order: 'asc' | 'desc'): string {
  const found = plural(rows, 'task');
  if (next?.after === undefined) return found;
  const time = new Date(Number.parseInt(next.after.replace('-', '').slice(0, 12), 16));
  return `${found} found ${order === 'desc' ? 'since' : 'until'} ${toLocalInput(time.toISOString()).replace('T', ' ')}`;
}
