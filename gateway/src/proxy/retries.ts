import type { Request } from 'express';
import type { Replica } from './replicas/replica.ts';
import { bodyKind } from './request-body.ts';
import type { Upstream } from './upstream.ts';
import { isBrokenConnection, isOwnFault } from './upstream-errors.ts';

export const MAX_RETRIES = 2;

/** Only what changes nothing when it is done twice, and what is there to be sent twice. */
export function isRepeatable(req: Request): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && bodyKind(req) === 'none';
}

/** Takes a retry from the budget if there is one and it can help after the error; `sent` says whether the request went out. */
export function takeRetry({ replicas, retries }: Upstream, failed: Replica | undefined, error: Error, sent: boolean) {
  // A connection that was refused will be refused again: that takes another replica.
  const helps = sent ? isBrokenConnection(error) : !isOwnFault(error) && replicas.pick(failed) !== failed;
  return helps && retries.take();
}
