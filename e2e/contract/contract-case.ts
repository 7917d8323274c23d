import type { ServiceName, UpstreamName } from '@agent-fleet/scripts/services';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { CallOptions, Credential } from '../harness/http-client.ts';
import type { Fault } from './faults.ts';

/** The values to which contract cases may refer. */
export interface World {
  api: Api;
  agent: Agent;
  task: Task;
  /** The id of a skill. */
  skill: string;
  /** A valid token that the system has not received yet. */
  freshToken(): Promise<string>;
  /** A valid API key that may do nothing: its owner no longer has its only scope. */
  powerless: Credential;
}

export interface Request extends CallOptions {
  method: string;
  path: string;
  /** In place of `path`: that of a record which is created when the request is sent. */
  latePath?: () => Promise<string>;
  /** Number of concurrent requests, one of which must have the expected outcome. Default 1. */
  times?: number;
}

/** Builds a request; creates the records that it needs before the fault. */
export type Prepare = (world: World) => Request | Promise<Request>;

export interface ContractCase {
  under: Fault;
  prepare: Prepare;
}

/** The cases of one operation by outcome: a status, with a media type if there is one besides JSON. */
export type ContractCases = Record<string, ContractCase>;

/** The differences from the good request: its path, some options, or all of it. */
type Variant = string | CallOptions | Prepare;

export const MIB = 1024 * 1024;
export const KNOWN = { headers: { 'if-none-match': '*' } };
export const STALE = { headers: { 'if-match': '"stale"' } };
/** The gateway refuses this request on any path. */
export const BAD_HOST = { headers: { host: 'user@fleet.example' } };

/**
 * The request to `path`, in which `:agent` is the id of the world's agent, or the request with some options changed.
 */
export function but(prepare: Prepare, change: string | CallOptions): Prepare {
  return async (world) => {
    const request = await prepare(world);
    if (typeof change === 'string') return { ...request, path: change.replace(':agent', world.agent.id) };
    return { ...request, ...change, headers: { ...request.headers, ...change.headers } };
  };
}

/** Cases without a fault, by outcome. */
export function plainly(good: Prepare, variants: Record<string, Variant>): ContractCases {
  const toCase = (variant: Variant): ContractCase => ({
    under: 'nothing',
    prepare: typeof variant === 'function' ? variant : but(good, variant),
  });
  return Object.fromEntries(Object.entries(variants).map(([outcome, variant]) => [outcome, toCase(variant)]));
}

/** An operation that needs a token or a key, of any scopes; it responds 500 to corrupt data. */
export function signedIn(service: UpstreamName, good: Prepare, variants: Record<string, Variant>): ContractCases {
  const guards = { 401: { as: 'nobody' }, 403: { as: 'nobody', headers: { 'x-api-key': 'wrong' } } } as const;
  return { ...proxied(service, good), 500: under('corrupt data', good), ...plainly(good, { ...guards, ...variants }) };
}

/** An operation that needs a token or a key with a scope, or that refuses a caller without scopes by itself. */
export function withScope(service: UpstreamName, good: Prepare, variants: Record<string, Variant>): ContractCases {
  return signedIn(service, good, { '403 forbidden': powerlessly(good), ...variants });
}

/** The same of the agents service. */
export function ofAgents(good: Prepare, variants: Record<string, Variant>): ContractCases {
  return withScope('agents', good, variants);
}

/** The same request by a caller who may do nothing. */
export function powerlessly(good: Prepare): Prepare {
  return async (world) => but(good, { as: world.powerless })(world);
}

/** The same with a body. */
export function withBody(good: Prepare, variants: Record<string, Variant>, maxBytes = MIB): ContractCases {
  return ofAgents(good, { ...badBodies(maxBytes), ...variants });
}

/** 400, 413 and 415 of an operation with a body. */
export function badBodies(maxBytes = MIB): Record<string, Variant> {
  return {
    400: { body: '{' },
    413: { body: 'x'.repeat(maxBytes + 1) },
    415: { headers: { 'content-type': 'image/png' } },
  };
}

/**
 * 409 and 422 of an operation with an `Idempotency-Key`: two concurrent requests to a slow store, and the key of an
 * earlier request with another valid body.
 */
export function idempotently(good: Prepare, toOther: (world: World) => unknown): ContractCases {
  const withFreshKey: Prepare = (world) => but(good, { headers: { 'idempotency-key': crypto.randomUUID() } })(world);
  const reused: Prepare = async (world) => {
    const { method, path, ...options } = await withFreshKey(world);
    const first = await world.api.call(method, path, options);
    if (first.status !== 201 && first.status !== 202) throw new Error(`Not created: ${first.status} ${first.text}`);
    return { method, path, ...options, body: toOther(world) };
  };
  const twice: Prepare = async (world) => ({ ...(await withFreshKey(world)), times: 2 });
  return { 409: under('slow store', twice), ...plainly(good, { 422: reused }) };
}

/** A request without credentials. */
export function anonymously(method: string, path: string): Prepare {
  return () => ({ method, path, as: 'nobody' });
}

export function under(fault: Fault, prepare: Prepare): ContractCase {
  return { under: fault, prepare };
}

/** A case without a fault that only a fleet on this machine can answer: only a header would break its code. */
export function locally(prepare: Prepare): ContractCase {
  return under('broken code', prepare);
}

/** 429, 500, 502, 503 and 504 of a proxied operation. */
export function proxied(service: UpstreamName, good: Prepare): ContractCases {
  return {
    429: under('exhausted rate limits', good),
    500: broken(service, good),
    502: under('services that do not speak HTTP', good),
    503: under('unavailable store', good),
    504: under('stopped services', good),
  };
}

/**
 * 500 of an operation that reads no data. The request has a content coding that no other case uses, so that no cache
 * has the response.
 */
export function broken(process: ServiceName, good: Prepare): ContractCase {
  return under('broken code', but(good, { headers: { 'x-e2e-fault': process, 'accept-encoding': 'br' } }));
}
