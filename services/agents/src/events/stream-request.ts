import { validationError } from '@agent-fleet/shared/http/errors';
import type { Request } from 'express';

const ITEM_ID = /^\d{1,16}$/;

/** Whether the client prefers a stream of Server-Sent Events to JSON. */
export function wantsStream(req: Request): boolean {
  return req.method === 'GET' && req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
}

/** The number after which a client resumes. @throws 400 */
export function readLastEventId({ headers }: Request): number | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && ITEM_ID.test(id) && Number(id) <= Number.MAX_SAFE_INTEGER) return Number(id);
  throw validationError([{ path: 'Last-Event-ID', code: 'invalid_value', message: 'must be the id of an event' }]);
}
