import { uuidv7 } from 'uuidv7';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUIDv7: later ids of one process sort after earlier ones. */
export function createId(): string {
  return uuidv7();
}

/** Whether a text can be an id of ours at all; any other text names nothing and needs no look-up. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** When a UUIDv7 was made, so that `created_at` and the order of a list never disagree (RFC 9562 section 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
