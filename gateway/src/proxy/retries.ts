import type { Request } from 'express';
import type { Replica } from './replicas/replica.ts';
import { bodyKind } from './request-body.ts';
import type { Upstream } from './upstream.ts';
import { isBrokenConnection, isOwnFault } from './upstream-errors.ts';

export const MAX_RETRIES = 2;

/** Only safe methods, and only without a body: a streamed body cannot be sent twice. */
export function isRepeatable(req: Request): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && bodyKind(req) === 'none';
}

/** Takes a retry from the budget if it can help after this error; `sent`: whether the request was sent. */
export function takeRetry({ replicas, retries }: Upstream, failed: Replica | undefined, error: Error, sent: boolean) {
  // A refused connection will be refused again: only another replica can help.
  const helps = sent ? isBrokenConnection(error) : !isOwnFault(error) && replicas.pick(failed) !== failed;
  return helps && retries.take();
}
