import type { ErrorRequestHandler } from 'express';
import { HttpError } from '../http/errors.ts';
import type { RedisClient } from './connection.ts';

/** Resolves when all writes so far, also those of others, are on the replicas. @throws NotReplicatedError */
export type Barrier = () => Promise<void>;

/**
 * Needed before a reply that says that something is so already: the client takes it as an acknowledgement of the
 * request before, whose own reply was lost or 503. `key` is written, and must be in the slot of the writes.
 */
export function createBarrier(redis: RedisClient, key: string, minReplicas: number): Barrier {
  if (minReplicas === 0) return async () => {};
  return async () => void (await redis.set(key, '1', 'PX', 60_000));
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** What is refused because of what is stored: a DELETE that is repeated gets 404. */
const BY_STATE = new Set([404, 409, 412]);

/** Delays refusals of changes until the replicas have what they follow from. */
export function refuseAfter(barrier: Barrier): ErrorRequestHandler {
  return (error: unknown, { method }, _res, next) => {
    if (READING.has(method) || !(error instanceof HttpError) || !BY_STATE.has(error.status)) next(error);
    else barrier().then(() => next(error), next);
  };
}
