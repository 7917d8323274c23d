import { count } from '../text/numbers.ts';

/** Whether there is no row at `skip` although there are others. */
export function isBeyondEnd(skip: number, total: number): boolean {
  return skip > 0 && skip >= total;
}

/** Which rows of how many are shown. `skip`: index of the first, from 0. */
export function rangeText(skip: number, limit: number, total: number): string {
  if (total === 0) return 'None';
  if (isBeyondEnd(skip, total)) return `None on this page, ${count(total)} in all`;
  return `${count(skip + 1)}–${count(Math.min(skip + limit, total))} of ${count(total)}`;
}
