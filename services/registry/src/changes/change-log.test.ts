import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { appendChange, type ChangeEntry, changesSince, foldChanges } from './change-log.ts';

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

type Lists = Partial<Pick<ChangeEntry, 'added' | 'changed' | 'removed'>>;

const entry = (from: string, to: string, lists: Lists = {}): ChangeEntry => ({
  ...{ from, to, at: 0, added: [], changed: [], removed: [] },
  ...lists,
});

test('the net changes are the difference between the first and the last snapshot', () => {
  const snapshot = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(2), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(snapshot, { minLength: 2, maxLength: 8 }), (snapshots) => {
      const steps = snapshots.slice(1).map((after, at) => difference(snapshots[at] ?? {}, after));
      const { added, changed, removed } = foldChanges(steps.map((lists, at) => entry(`${at}`, `${at + 1}`, lists)));
      const [first = {}, last = {}] = [snapshots[0], snapshots.at(-1)];
      const whole = difference(first, last);
      expect([...added].sort()).toEqual(whole.added);
      expect([...removed].sort()).toEqual(whole.removed);
      // A skill that was changed back may still be reported.
      expect(changed).toEqual(expect.arrayContaining(whole.changed));
      for (const id of changed) expect([id in first, id in last]).toEqual([true, true]);
    }),
  );
});

function difference(before: Record<string, number>, after: Record<string, number>) {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return {
    added: ids.filter((id) => !(id in before)),
    changed: ids.filter((id) => id in before && id in after && before[id] !== after[id]),
    removed: ids.filter((id) => !(id in after)),
  };
}

const history = [
  entry('c', 'd', { added: ['4', '5'] }),
  entry('b', 'c', { added: ['2', '3'] }),
  entry('a', 'b', { added: ['1'] }),
];

test.each<[string, number | undefined, string[]]>([
  ['a', undefined, ['b', 'c', 'd']],
  ['c', undefined, ['d']],
  ['d', undefined, []],
  ['a', 3, ['b', 'c']],
  ['a', 4, ['b', 'c']],
  ['a', 5, ['b', 'c', 'd']],
  ['b', 1, ['c']],
])('the changes since snapshot %s with a limit of %s ids lead to %j, at least to the next', (id, limit, snapshots) => {
  expect(changesSince(history, 'd', id, limit).map(({ to }) => to)).toEqual(snapshots);
});

test('the changes since a snapshot that was served twice begin at the last time', () => {
  const again = [entry('b', 'a'), entry('a', 'b'), entry('0', 'a')];
  expect(changesSince(again, 'a', 'a')).toEqual([]);
  expect(changesSince(again, 'a', 'b')).toHaveLength(1);
  expect(changesSince(again, 'a', '0')).toHaveLength(3);
});

test.each([
  ['is not known', history, 'd', 'z'],
  ['is before a gap in the history', [history[0] as ChangeEntry, entry('a', 'b')], 'd', 'a'],
  ['belongs to a history without the current snapshot', history, 'e', 'd'],
  ['has no history', [], 'd', 'c'],
])('the changes since a snapshot are 410 when it %s', (_name, entries, current, id) => {
  expect(() => changesSince(entries, current, id)).toThrow(expect.objectContaining({ status: 410 }));
});
