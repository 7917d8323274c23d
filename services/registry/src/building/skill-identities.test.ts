import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareSnapshots } from './skill-identities.ts';

const SNAPSHOT = fc
  .uniqueArray(fc.tuple(fc.nat(60), fc.nat(2)), { selector: ([id]) => id, maxLength: 50 })
  .map((skills) => skills.map(([id, fingerprint]) => [id * 4_294_967_296 + (id % 3), fingerprint] as const));

const toIdentities = (skills: readonly (readonly [number, number])[]) => ({
  ids: Float64Array.from(skills, ([id]) => id),
  fingerprints: Float64Array.from(skills, ([, fingerprint]) => fingerprint),
});

const rowsOf = <Item>(items: readonly Item[], matches: (item: Item) => boolean) =>
  [...items.keys()].filter((row) => matches(items[row] as Item));

test('two snapshots are compared as by maps of ids', () => {
  fc.assert(
    fc.property(SNAPSHOT, SNAPSHOT, (before, now) => {
      const [old, current] = [new Map(before), new Map(now)];
      const { added, changed, removed } = compareSnapshots(toIdentities(before), toIdentities(now));
      expect([...added]).toEqual(rowsOf(now, ([id]) => !old.has(id)));
      expect([...changed]).toEqual(rowsOf(now, ([id, print]) => old.has(id) && old.get(id) !== print));
      expect([...removed]).toEqual(rowsOf(before, ([id]) => !current.has(id)));
    }),
  );
});
