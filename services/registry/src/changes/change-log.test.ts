import { expect, test } from '@jest/globals';
import { appendChange, type ChangeEntry } from './change-log.ts';

const skills = { idAt: (row: number) => `skill-${row}` };

/** The history after changes that each add this many skills. */
function historyOf(...added: number[]): ChangeEntry[] {
  let history: ChangeEntry[] = [];
  for (const [at, count] of added.entries()) {
    const rows = Uint32Array.from({ length: count }, (_, row) => row);
    const difference = { added: rows, changed: new Uint32Array(), removed: new Uint32Array() };
    history = appendChange(history, { from: `s${at}`, to: `s${at + 1}`, at }, difference, skills, skills);
  }
  return history;
}

test.each([
  ['the latest hundred changes', new Array<number>(130).fill(1), 's130', 's31', 100],
  ['whole changes with 20,000 ids at most', [6_000, 6_000, 6_000, 6_000, 6_000], 's5', 's3', 3],
  ['nothing before a change that has more ids alone', [5, 20_001, 1], 's3', 's3', 1],
  ['nothing where the last change has more ids alone', [5, 20_001], undefined, undefined, 0],
])('the history of changes keeps %s', (_what, added, latest, oldest, length) => {
  const history = historyOf(...added);
  expect([history[0]?.to, history.at(-1)?.to, history.length]).toEqual([latest, oldest, length]);
});
