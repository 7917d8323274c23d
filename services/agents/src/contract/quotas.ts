import type { IncomingMessage } from 'node:http';
import { type ErrorDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { PRINCIPAL_HEADER } from '@agent-fleet/shared/http/internal-access';
import type { Response } from 'express';

/** What quotas are of, as errors name it: the last two are counted per replica. */
export const AGENTS = 'agents';
export const PENDING_TASKS = 'pending tasks';
export const WAITS = 'waiting requests';
export const STREAMS = 'event streams';

/** A quota of records, which scripts count (scripts/includes/usage.lua). */
export interface RecordQuota {
  /** The principal. */
  owner: string;
  max: number;
}

/** The quota that applies to a request, if any. */
export function quotaOf(req: IncomingMessage, max: number): RecordQuota | undefined {
  const owner = max > 0 ? principalOf(req) : undefined;
  return owner === undefined ? undefined : { owner, max };
}

export function quotaExceeded(what: string): HttpError {
  return httpError('quota_exceeded', `You have as many ${what} as you may have`);
}

/** The error above in a contract. */
export function quotaExceededDoc(what: string): ErrorDoc {
  return { status: 403, description: `The caller's quota of ${what} is used up.`, example: quotaExceeded(what).body };
}

/** Counts a request of a principal until the returned function is called. @throws 429 above the quota */
export type Admit = (res: Response) => () => void;

/** Limits the requests of each principal that are open at once on this replica; 0: no limit. */
export function createAdmit(max: number, what: string): Admit {
  const open = new Map<string, number>();
  return ({ req }) => {
    const principal = max > 0 ? principalOf(req) : undefined;
    if (principal === undefined) return () => {};
    const count = open.get(principal) ?? 0;
    if (count >= max) throw tooManyOpen(what);
    open.set(principal, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (open.get(principal) as number) - 1;
      if (left === 0) open.delete(principal);
      else open.set(principal, left);
    };
  };
}

function tooManyOpen(what: string): HttpError {
  return httpError('rate_limited', `You have too many open ${what}; try again`, { headers: { 'retry-after': '1' } });
}

/** The error above in a contract. */
export function tooManyOpenDoc(what: string): ErrorDoc {
  const { status, body } = tooManyOpen(what);
  return { status, description: `The caller has too many open ${what}.`, example: body, headers: RETRY_AFTER };
}

/** Undefined for a request that is not from the gateway, as in development. */
function principalOf({ headers }: IncomingMessage): string | undefined {
  return headers[PRINCIPAL_HEADER]?.toString();
}
