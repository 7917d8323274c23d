import { V7Generator } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const generator = new V7Generator();

/** A UUIDv7 of this time in ms: later ids of one process sort after earlier ones. */
export function createId(nowMs: number): string {
  return generator.generateOrResetWithTs(Math.floor(nowMs)).toString();
}

/** Whether a text has the format of an id. Other texts need no lookup. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The creation time of a UUIDv7, so that `created_at` agrees with the order of a list (RFC 9562 section 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
