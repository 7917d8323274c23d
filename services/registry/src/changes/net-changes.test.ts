import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeEntry } from './change-log.ts';
import { changesSince, foldChanges } from './net-changes.ts';

type Lists = Partial<Pick<ChangeEntry, 'added' | 'changed' | 'removed'>>;

const entry = (from: string, to: string, lists: Lists = {}): ChangeEntry => ({
  ...{ from, to, at: 0, added: [], changed: [], removed: [] },
  ...lists,
});
const fold = (...steps: Lists[]) => foldChanges(steps.map((lists, at) => entry(`${at}`, `${at + 1}`, lists)));
const [x, nothing] = [['x'], { added: [], changed: [], removed: [] }];

test.each<[string, Lists[], Lists]>([
  ['nothing', [], {}],
  ['added, changed', [{ added: x }, { changed: x }], { added: x }],
  ['added, removed', [{ added: x }, { removed: x }], {}],
  ['added, removed, added', [{ added: x }, { removed: x }, { added: x }], { added: x }],
  ['changed, changed', [{ changed: x }, { changed: x }], { changed: x }],
  ['changed, removed', [{ changed: x }, { removed: x }], { removed: x }],
  ['removed, added', [{ removed: x }, { added: x }], { changed: x }],
  ['removed, added, removed', [{ removed: x }, { added: x }, { removed: x }], { removed: x }],
])('changes one after the other come to what is there in the end: %s', (_name, steps, net) => {
  expect(fold(...steps)).toEqual({ ...nothing, ...net });
});

test('changes one after the other come to the difference of the first and the last snapshot', () => {
  const snapshot = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(2), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(snapshot, { minLength: 2, maxLength: 8 }), (snapshots) => {
      const steps = snapshots.slice(1).map((after, at) => difference(snapshots[at] ?? {}, after));
      const { added, changed, removed } = fold(...steps);
      const whole = difference(snapshots[0] ?? {}, snapshots.at(-1) ?? {});
      expect([...added].sort()).toEqual(whole.added);
      expect([...removed].sort()).toEqual(whole.removed);
      // What was changed back again may still be told.
      expect(changed).toEqual(expect.arrayContaining(whole.changed));
      for (const id of changed) expect(snapshots[0]).toHaveProperty(id);
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
  entry('a', 'b', { added: x }),
];
const since = (id: string, limit?: number) => changesSince(history, 'd', id, limit).map(({ to }) => to);

test('the changes since a snapshot are all after it, the oldest first', () => {
  expect(since('a')).toEqual(['b', 'c', 'd']);
  expect(since('c')).toEqual(['d']);
  expect(since('d')).toEqual([]);
});

test('the changes since a snapshot are as many snapshots as the limit allows, and at least one', () => {
  expect(since('a', 3)).toEqual(['b', 'c']);
  expect(since('a', 4)).toEqual(['b', 'c']);
  expect(since('a', 5)).toEqual(['b', 'c', 'd']);
  expect(since('b', 1)).toEqual(['c']);
});

test('the changes since a snapshot are those of the last time that it was served', () => {
  const again = [entry('b', 'a'), entry('a', 'b'), entry('0', 'a')];
  expect(changesSince(again, 'a', 'a')).toEqual([]);
  expect(changesSince(again, 'a', 'b')).toHaveLength(1);
  expect(changesSince(again, 'a', '0')).toHaveLength(3);
});

test.each([
  ['is not known', history, 'd', 'z'],
  ['is behind a gap', [history[0] as ChangeEntry, entry('a', 'b')], 'd', 'a'],
  ['is of a history that does not lead here', history, 'e', 'd'],
  ['is of no history', [], 'd', 'c'],
])('the changes since a snapshot are gone when it %s', (_name, entries, current, id) => {
  expect(() => changesSince(entries, current, id)).toThrow(expect.objectContaining({ status: 410 }));
});
