import type { IncomingMessage } from 'node:http';
import { type ErrorDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import type { BeforeOperation } from '@agent-fleet/shared/contract/router';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { AGENTS_HEADER, PRINCIPAL_HEADER, readCaller } from '@agent-fleet/shared/http/internal-access';
import { isId } from '@agent-fleet/shared/ids';
import { readTraceparent } from '@agent-fleet/shared/trace-context';
import type { Response } from 'express';
import { parseLeaseId } from './ids.ts';
import { agentNotFound, leaseNotFound } from './parameters.ts';

/** The client's address, as the gateway reports it; null for a request that is not from the gateway. */
export function clientOf({ headers }: IncomingMessage): string | null {
  return headers['x-forwarded-for']?.toString() ?? null;
}

/** The operations on several agents, which leave out those that the caller may not see, and one on none. */
const FILTERING = new Set([
  'listAgents',
  'searchTasks',
  'leaseTasks',
  'listLeases',
  'listEvents',
  'listInputRequests',
  'readSpend',
  'checkAgent',
  'createTaskGraph',
]);

/** The agents that the caller may see, at most 100: those of an API key that is limited to some. Undefined: all. */
export function visibleAgents(req: IncomingMessage): ReadonlySet<string> | undefined {
  if (req.headers[AGENTS_HEADER] === undefined) return undefined;
  return new Set([...(readCaller(req)?.agentIds ?? [])].filter(isId));
}

/**
 * For the router: other agents do not exist for a key that is limited to some. It may call no operation that has no
 * agent in its path and does not leave out others.
 * @throws 404 for another agent, or a lease of its tasks; 403
 */
export const requireVisible: BeforeOperation = ({ id }, { agent_id, lease_id }, req) => {
  const agents = visibleAgents(req);
  if (!agents || FILTERING.has(id)) return;
  if (agent_id !== undefined) {
    if (!agents.has(agent_id)) throw agentNotFound();
  } else if (lease_id !== undefined) {
    if (!agents.has(parseLeaseId(lease_id)?.agentId ?? '')) throw leaseNotFound();
  } else {
    throw limitedKey();
  }
};

export function limitedKey(): HttpError {
  return httpError('forbidden', 'This API key is limited to some agents');
}

/** The error above in a contract. */
export const LIMITED_KEY: ErrorDoc = {
  status: 403,
  description: 'The API key is limited to some agents.',
  example: limitedKey().body,
};

/** What quotas are of, as errors name it: the last two are counted per replica. */
export const AGENTS = 'agents';
export const PENDING_TASKS = 'pending tasks';
export const WAITS = 'waiting requests';
export const STREAMS = 'event streams';

/** A quota of records, which scripts count (includes/tasks.lua). */
export interface RecordQuota {
  /** The principal. */
  owner: string;
  max: number;
}

/** Of the sets of labels that the tasks of a type may have (includes/tasks.lua). */
export function tooManySets(): HttpError {
  const message = 'The tasks of this type that have not ended require as many different sets of labels as they may';
  return httpError('too_many_requirement_sets', message);
}

/** The error above in a contract. */
export const TOO_MANY_SETS: ErrorDoc = {
  status: 409,
  description: 'Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller.',
  example: tooManySets().body,
};

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
  const options = { headers: { 'retry-after': '1' }, rejectedBy: 'open_requests' };
  return httpError('rate_limited', `You have too many open ${what}; try again`, options);
}

/** The error above in a contract. */
export function tooManyOpenDoc(what: string): ErrorDoc {
  const { status, body } = tooManyOpen(what);
  return { status, description: `The caller has too many open ${what}.`, example: body, headers: RETRY_AFTER };
}

/** Undefined for a request that is not from the gateway, as in development. */
export function principalOf({ headers }: IncomingMessage): string | undefined {
  return headers[PRINCIPAL_HEADER]?.toString();
}

/** Who created a task, by id: a user, or a key and the user who owns it, if one does. */
export interface Creator {
  user?: string | undefined;
  key?: string | undefined;
}

/** Undefined for a request that is not from the gateway. */
export function creatorOf(req: IncomingMessage): Creator | undefined {
  const { type, id, ownerId } = readCaller(req) ?? {};
  if (id === undefined) return undefined;
  return type === 'key' ? { user: ownerId, key: id } : { user: id };
}

/** The principal, for its quotas, and the creator of tasks. */
export function makerOf(req: IncomingMessage): { owner: string | undefined; creator: Creator | undefined } {
  return { owner: principalOf(req), creator: creatorOf(req) };
}

/** Where a task comes from: the trace and the caller of the request that creates it. */
export interface Origin {
  /** W3C Trace Context. */
  traceparent: string | null;
  /** Null for a request that is not from the gateway. */
  created_by: { id: string; name: string } | null;
}

/** `began`: the request of the same caller that this one continues. */
export function originOf(req: IncomingMessage, began?: { traceparent?: string | null }): Origin {
  const { traceparent } = req.headers;
  const own = (traceparent !== undefined && readTraceparent(String(traceparent))) || null;
  const { id, name } = readCaller(req) ?? {};
  const created_by = id === undefined || name === undefined ? null : { id, name };
  return { traceparent: began ? (began.traceparent ?? null) : own, created_by };
}
