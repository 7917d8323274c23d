import { V7Generator } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const generator = new V7Generator();

/** A UUIDv7 of this time in ms: later ids of one process sort after earlier ones. */
export function createId(now: number): string {
  return generator.generateOrResetWithTs(now).toString();
}

/** Whether a text has the format of an id. Other texts need no lookup. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The creation time of a UUIDv7, so that `created_at` agrees with the order of a list (RFC 9562 section 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

const MAX_TIME = 2 ** 48 - 1;

/** A text that sorts after all ids of earlier times than this one in ms, and before the others. */
export function idPrefixAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_TIME).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * The id of the `at`th task (0 to 4095) of a batch: the batch id with `at` in its 12 bits `rand_a`. The ids sort by
 * position and are the same when the batch is created again.
 */
export function idInBatch(batchId: string, at: number): string {
  return `${batchId.slice(0, 15)}${at.toString(16).padStart(3, '0')}${batchId.slice(18)}`;
}
