import type { ServiceName, UpstreamName } from '@agent-fleet/scripts/services';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { CallOptions } from '../harness/http-client.ts';
import type { Fault } from './faults.ts';

/** What contract cases may refer to. */
export interface World {
  api: Api;
  agent: Agent;
  task: Task;
  /** Id of a skill. */
  skill: string;
  /** A valid token that the system has not seen yet. */
  freshToken(): Promise<string>;
}

export interface Request extends CallOptions {
  method: string;
  path: string;
  /** How many are sent at once; one of the responses must have the expected outcome. Default 1. */
  times?: number;
}

/** Builds a request; what it needs is created before the fault. */
export type Prepare = (world: World) => Request | Promise<Request>;

export interface ContractCase {
  under: Fault;
  prepare: Prepare;
}

/** The cases of one operation by outcome: a status, and a media type where a response has another than JSON too. */
export type ContractCases = Record<string, ContractCase>;

export const STALE = { 'if-match': '"stale"' };

export const MIB = 1024 * 1024;

/** The request with some options changed. */
export function but(prepare: Prepare, change: CallOptions | ((request: Request) => CallOptions)): Prepare {
  return async (world) => {
    const request = await prepare(world);
    const changed = typeof change === 'function' ? change(request) : change;
    return { ...request, ...changed, headers: { ...request.headers, ...changed.headers } };
  };
}

export function plainly(prepare: Prepare): ContractCase {
  return { under: 'nothing', prepare };
}

/** 401 and 403 of an operation that needs a token or a key. */
export function guarded(good: Prepare): ContractCases {
  return {
    401: plainly(but(good, { as: 'nobody' })),
    403: plainly(but(good, { as: 'nobody', headers: { 'x-api-key': 'wrong' } })),
  };
}

/** 400, 413 and 415 of an operation with a body. */
export function withBody(good: Prepare, maxBytes = MIB): ContractCases {
  return {
    400: plainly(but(good, { body: '{' })),
    413: plainly(but(good, { body: 'x'.repeat(maxBytes + 1) })),
    415: plainly(but(good, { headers: { 'content-type': 'image/png' } })),
  };
}

/** 400 of the gateway for any operation: an invalid Host. */
export function withBadHost(good: Prepare): ContractCase {
  return plainly(but(good, { headers: { host: 'user@fleet.example' } }));
}

/**
 * 409 and 422 of an operation that takes an `Idempotency-Key`: two concurrent requests, which need a slow store, and
 * the key of an earlier request with another valid body.
 */
export function idempotently(good: Prepare, toOther: (world: World) => unknown): ContractCases {
  const withFreshKey = async (world: World) => {
    const request = await good(world);
    return { ...request, headers: { ...request.headers, 'idempotency-key': crypto.randomUUID() } };
  };
  const reused: Prepare = async (world) => {
    const { method, path, ...options } = await withFreshKey(world);
    const first = await world.api.call(method, path, options);
    if (first.status !== 201) throw new Error(`Not created: ${first.status} ${first.text}`);
    return { method, path, ...options, body: toOther(world) };
  };
  return {
    409: { under: 'slow store', prepare: async (world) => ({ ...(await withFreshKey(world)), times: 2 }) },
    422: plainly(reused),
  };
}

/** The same request to another path; `:agent` is the id of the world's agent. */
export function at(path: string, prepare: Prepare): Prepare {
  return async (world) => ({ ...(await prepare(world)), path: path.replace(':agent', world.agent.id) });
}

/** A request without credentials. */
export function anonymously(method: string, path: string, options: CallOptions = {}): Prepare {
  return () => ({ method, path, as: 'nobody', ...options });
}

/** 429 of an operation under a rate limit. */
export function limited(good: Prepare): ContractCase {
  return { under: 'exhausted rate limits', prepare: good };
}

/** 304 of a GET. */
export function known(good: Prepare): ContractCase {
  return plainly(but(good, { headers: { 'if-none-match': '*' } }));
}

/** 429, 500, 502, 503 and 504 of a proxied operation. */
export function proxied(service: UpstreamName, good: Prepare): ContractCases {
  return {
    429: limited(good),
    500: broken(service, good),
    502: { under: 'services that do not speak HTTP', prepare: good },
    503: { under: 'unavailable store', prepare: good },
    504: { under: 'stopped services', prepare: good },
  };
}

/** The same where the operation reads data that can be corrupt. */
export function ofAgents(good: Prepare): ContractCases {
  return { ...proxied('agents', good), 500: { under: 'corrupt data', prepare: good } };
}

/**
 * 500 of an operation that reads nothing. In a content coding that no other case uses, so that no cache has the
 * response.
 */
export function broken(process: ServiceName, good: Prepare): ContractCase {
  return { under: 'broken code', prepare: but(good, { headers: { 'x-e2e-fault': process, 'accept-encoding': 'br' } }) };
}
