import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toAuditId, toStreamId } from './audit-event.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const time = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });
const sequence = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 1_000n }));
const streamId = fc.tuple(time, sequence);
const toText = ([ms, number]: [bigint, bigint]) => `${ms}-${number}`;

test('an id of the stream becomes a UUIDv7, and the same one again', () => {
  fc.assert(
    fc.property(streamId, (id) => {
      const uuid = toAuditId(toText(id));
      expect(uuid).toMatch(UUID_V7);
      expect(toStreamId(uuid)).toBe(toText(id));
    }),
    { numRuns: 1_000 },
  );
});

test('a UUIDv7 that stands for an id of the stream becomes that id, and the same UUID again', () => {
  const digits = fc.stringMatching(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  fc.assert(
    fc.property(digits, (hex) => {
      const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      const id = toStreamId(uuid);
      expect(id === undefined ? uuid : toAuditId(id)).toBe(uuid);
    }),
  );
});

test('the ids sort as the stream does', () => {
  const near = fc.tuple(fc.bigInt({ min: 1_700_000_000_000n, max: 1_700_000_000_003n }), sequence);
  fc.assert(
    fc.property(near, near, (one, two) => {
      const isBefore = one[0] < two[0] || (one[0] === two[0] && one[1] < two[1]);
      expect(toAuditId(toText(one)) < toAuditId(toText(two))).toBe(isBefore);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['0-0', '00000000-0000-7000-8000-000000000000'],
  ['1764064262116-1', '019aba6c-77e4-7000-8000-000000000001'],
  ['281474976710655-18446744073709551615', 'ffffffff-ffff-7003-bfff-ffffffffffff'],
])('%s is %s', (id, uuid) => {
  expect(toAuditId(id)).toBe(uuid);
});

test.each([
  '',
  '0-0',
  'ffffffff-ffff-7004-8000-000000000000',
  '00000000-0000-4000-8000-000000000000',
  '00000000-0000-7000-c000-000000000000',
  '00000000-0000-7000-8000-00000000000G',
  '00000000-0000-7000-8000-000000000000 ',
  '00000000-0000-7000-8000-0000000000000',
])('%j is the id of no entry', (text) => {
  expect(toStreamId(text)).toBeUndefined();
});
