import type { ApiKeyRecord } from '@agent-fleet/access/records';
import { httpError } from '@agent-fleet/shared/http/errors';

const MAX_PREVIOUS = 10;

interface Rotation {
  record: ApiKeyRecord;
  /** SHA-256 of the texts that end at once. */
  ended: string[];
}

/**
 * Replaces the text of a key at `nowMs`. The one before ends after `graceMs`, or with the key; without a grace, all
 * before end at once.
 *
 * @throws 422 `semantic_error` when the key has expired, 403 `quota_exceeded` when too many replaced texts are valid
 */
export function rotate(record: ApiKeyRecord, hash: string, graceMs: number, nowMs: number): Rotation {
  const expiresMs = Date.parse(record.expires_at);
  if (expiresMs <= nowMs) throw httpError('semantic_error', 'The key has expired; create another one');
  const live = record.previous.filter(({ until }) => Date.parse(until) > nowMs);
  if (graceMs === 0) {
    return {
      record: { ...record, hash, previous: [] },
      ended: [record.hash, ...live.map((replaced) => replaced.hash)],
    };
  }
  if (live.length >= MAX_PREVIOUS) {
    const message = `${MAX_PREVIOUS} replaced keys are still valid; rotate with grace_seconds 0`;
    throw httpError('quota_exceeded', message);
  }
  const until = new Date(Math.min(nowMs + graceMs, expiresMs)).toISOString();
  return { record: { ...record, hash, previous: [...live, { hash: record.hash, until }] }, ended: [] };
}
