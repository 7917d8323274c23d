import type { ApiKeyRecord } from '@agent-fleet/access/records';
import { expect, test } from '@jest/globals';
import { rotate } from './rotation.ts';

const NOW_MS = Date.parse('2026-11-21T09:30:00.000Z');
const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(NOW_MS + ms).toISOString();

function recordWith(fields: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: '01997e70-1f3b-7d02-8c11-5b9a0e6f4c21',
    name: 'A key',
    scopes: ['tasks:read'],
    agent_ids: null,
    owner_id: null,
    owner: 'key:ci',
    parents: [],
    created_at: inMs(-HOUR_MS),
    expires_at: inMs(24 * HOUR_MS),
    rate_limit_per_minute: null,
    hash: 'first',
    previous: [],
    ...fields,
  };
}

/** Replaced texts, of which the first `ended` no longer work. */
const replaced = (count: number, ended = 0) =>
  Array.from({ length: count }, (_, at) => ({ hash: `old-${at}`, until: inMs(at < ended ? 0 : HOUR_MS) }));

test('a rotation keeps everything but the text, and the one before ends after the grace', () => {
  const before = recordWith();
  const { record, ended } = rotate(before, 'second', HOUR_MS, NOW_MS);
  expect(record).toEqual({ ...before, hash: 'second', previous: [{ hash: 'first', until: inMs(HOUR_MS) }] });
  expect(ended).toEqual([]);
});

test('no text outlives its key', () => {
  const { record } = rotate(recordWith({ expires_at: inMs(60_000) }), 'second', HOUR_MS, NOW_MS);
  expect(record.previous).toEqual([{ hash: 'first', until: inMs(60_000) }]);
});

test('without a grace, all texts before end at once', () => {
  const { record, ended } = rotate(recordWith({ previous: replaced(3, 1) }), 'second', 0, NOW_MS);
  expect([record.hash, record.previous]).toEqual(['second', []]);
  expect(ended).toEqual(['first', 'old-1', 'old-2']);
});

test('at most ten replaced texts are valid at once, and those that have ended are forgotten', () => {
  const full = recordWith({ previous: replaced(10) });
  expect(() => rotate(full, 'second', HOUR_MS, NOW_MS)).toThrow(expect.objectContaining({ status: 403 }));
  expect(rotate(full, 'second', 0, NOW_MS).record.previous).toEqual([]);
  const { record } = rotate(recordWith({ previous: replaced(10, 4) }), 'second', HOUR_MS, NOW_MS);
  expect(record.previous.map(({ hash }) => hash)).toEqual([
    'old-4',
    'old-5',
    'old-6',
    'old-7',
    'old-8',
    'old-9',
    'first',
  ]);
});

test('an expired key is not rotated', () => {
  const expired = recordWith({ expires_at: inMs(0) });
  expect(() => rotate(expired, 'second', 0, NOW_MS)).toThrow(expect.objectContaining({ status: 422 }));
});
