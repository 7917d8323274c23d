import * as util from 'node:util';

/** Lines around a change that are shown. */
const CONTEXT = 3;
/** Of both texts, multiplied; with more lines, all count as replaced. */
const MAX_LINES = 4_000_000;
/** What only the second text has is -1. */
const MARKS = { '-1': '+', '0': ' ', '1': '-' };

/** The hunks of a unified diff; empty if nothing differs. */
export function diffLines(from: string, to: string): string[] {
  const rows = compare(toLines(from), toLines(to));
  const changed = rows.flatMap(({ mark }, at) => (mark === ' ' ? [] : [at]));
  const shown: string[] = [];
  for (let first = 0, last = 0; first < changed.length; first = ++last) {
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] as number) <= 2 * CONTEXT) last++;
    const start = Math.max(0, (changed[first] as number) - CONTEXT);
    const hunk = rows.slice(start, (changed[last] as number) + CONTEXT + 1);
    const rangeWithout = (other: string) => {
      const [before, count] = [rows.slice(0, start), hunk].map(
        (some) => some.filter(({ mark }) => mark !== other).length,
      );
      return `${(before as number) + (count ? 1 : 0)},${count}`;
    };
    shown.push(`@@ -${rangeWithout('+')} +${rangeWithout('-')} @@`, ...hunk.map(({ mark, line }) => mark + line));
  }
  return shown;
}

const toLines = (text: string) => (text === '' ? [] : text.split('\n'));

/** Node 20 cannot compare: there too, all lines count as replaced. */
function compare(from: readonly string[], to: readonly string[]): { mark: string; line: string }[] {
  if ('diff' in util && from.length * to.length <= MAX_LINES) {
    return util.diff(from, to).map(([operation, line]) => ({ mark: MARKS[operation], line }));
  }
  const all = (mark: string, lines: readonly string[]) => lines.map((line) => ({ mark, line }));
  return [...all('-', from), ...all('+', to)];
}
