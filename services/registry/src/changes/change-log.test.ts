import { expect, test } from '@jest/globals';
import { appendChange, type ChangeEntry } from './change-log.ts';

const ids = (prefix: string) => ({ idAt: (row: number) => `${prefix}-${row}` });
const rows = (count: number) => Uint32Array.from({ length: count }, (_, at) => at);
const none = new Uint32Array(0);

const append = (history: readonly ChangeEntry[], number: number, added: number) =>
  appendChange(
    history,
    { from: `s${number - 1}`, to: `s${number}`, at: number },
    { added: rows(added), changed: none, removed: none },
    ids('old'),
    ids('new'),
  );

test('the history of changes has the latest step first, what is removed by its id in the snapshot before', () => {
  const first = append([], 1, 1);
  const difference = { added: none, changed: rows(1), removed: Uint32Array.of(7) };
  const both = appendChange(first, { from: 's1', to: 's2', at: 2 }, difference, ids('old'), ids('new'));
  expect(both).toEqual([
    { from: 's1', to: 's2', at: 2, added: [], changed: ['new-0'], removed: ['old-7'] },
    { from: 's0', to: 's1', at: 1, added: ['new-0'], changed: [], removed: [] },
  ]);
});

test('the history of changes keeps a hundred steps', () => {
  let history: ChangeEntry[] = [];
  for (let number = 1; number <= 130; number++) history = append(history, number, 1);
  expect(history).toHaveLength(100);
  expect([history[0]?.to, history.at(-1)?.to]).toEqual(['s130', 's31']);
});

test('the history of changes keeps 20,000 ids, and the steps that they are in as a whole', () => {
  let history: ChangeEntry[] = [];
  for (let number = 1; number <= 5; number++) history = append(history, number, 6_000);
  expect(history.map(({ to }) => to)).toEqual(['s5', 's4', 's3']);
});

test('the history of changes begins anew after a step that is too large to be kept', () => {
  const history = append(append([], 1, 5), 2, 20_001);
  expect(history).toEqual([]);
  expect(append(history, 3, 1)).toHaveLength(1);
});
