import type { Agent, Api, Task } from '../harness/api.ts';
import type { CallOptions } from '../harness/http-client.ts';
import type { Fault } from './faults.ts';

/** What provocations may refer to. */
export interface World {
  api: Api;
  agent: Agent;
  task: Task;
  /** Id of a skill. */
  skill: string;
  /** A good token that the system has not seen yet. */
  freshToken(): Promise<string>;
}

export interface Request extends CallOptions {
  method: string;
  path: string;
  /** Sent so often at once; one of the answers must be the one that is provoked. Default 1. */
  times?: number;
}

/** Makes a request; what it needs is made before the fault. */
export type Prepare = (world: World) => Request | Promise<Request>;

export interface Provocation {
  under: Fault;
  prepare: Prepare;
}

/** How each outcome of one operation is provoked: a status, with a media type where it has a body of another than JSON too. */
export type Provocations = Record<string, Provocation>;

export const STALE = { 'if-match': '"stale"' };

export const MIB = 1024 * 1024;

/** The request with something else about it. */
export function but(prepare: Prepare, change: CallOptions | ((request: Request) => CallOptions)): Prepare {
  return async (world) => {
    const request = await prepare(world);
    const changed = typeof change === 'function' ? change(request) : change;
    return { ...request, ...changed, headers: { ...request.headers, ...changed.headers } };
  };
}

export function plainly(prepare: Prepare): Provocation {
  return { under: 'nothing', prepare };
}

/** 401 and 403 of an operation for whoever has a token or a key. */
export function guarded(good: Prepare): Provocations {
  return {
    401: plainly(but(good, { as: 'nobody' })),
    403: plainly(but(good, { as: 'nobody', headers: { 'x-api-key': 'wrong' } })),
  };
}

/** 400, 413 and 415 of an operation with a body. */
export function withBody(good: Prepare, maxBytes = MIB): Provocations {
  return {
    400: plainly(but(good, { body: '{' })),
    413: plainly(but(good, { body: 'x'.repeat(maxBytes + 1) })),
    415: plainly(but(good, { headers: { 'content-type': 'image/png' } })),
  };
}

/** 400 of the gateway for any request, whatever the operation takes: a Host that is none. */
export function withBadHost(good: Prepare): Provocation {
  return plainly(but(good, { headers: { host: 'user@fleet.example' } }));
}

/**
 * 409 and 422 of an operation that takes an `Idempotency-Key`: two requests at the same time, which needs a store that is slow; and the key
 * of another request with a body that is good too.
 */
export function idempotently(good: Prepare, toOther: (world: World) => unknown): Provocations {
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

/** The same request to another path; `:agent` is the world's. */
export function at(path: string, prepare: Prepare): Prepare {
  return async (world) => ({ ...(await prepare(world)), path: path.replace(':agent', world.agent.id) });
}

/** A request without credentials. */
export function anonymously(method: string, path: string, options: CallOptions = {}): Prepare {
  return () => ({ method, path, as: 'nobody', ...options });
}

/** 429 of an operation that counts for a rate limit. */
export function limited(good: Prepare): Provocation {
  return { under: 'used up limits', prepare: good };
}

/** 304 of a GET. */
export function known(good: Prepare): Provocation {
  return plainly(but(good, { headers: { 'if-none-match': '*' } }));
}

/** 502, 503 and 504 of what a service answers; 500 where it reads what can be spoilt. */
export function ofAgents(good: Prepare): Provocations {
  return { ...proxied(good), 500: { under: 'spoilt data', prepare: good } };
}

export function ofRegistry(good: Prepare): Provocations {
  return { ...proxied(good), 500: broken('registry', good) };
}

/** 500 of an operation that reads nothing. In a coding that nobody else asks for, so that no answer given before is given again. */
export function broken(process: 'gateway' | 'registry', good: Prepare): Provocation {
  return { under: 'broken code', prepare: but(good, { headers: { 'x-e2e-fault': process, 'accept-encoding': 'br' } }) };
}

function proxied(good: Prepare): Provocations {
  return {
    429: limited(good),
    502: { under: 'babbling services', prepare: good },
    503: { under: 'lost store', prepare: good },
    504: { under: 'stopped services', prepare: good },
  };
}
