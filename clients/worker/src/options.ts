import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, SILENT } from './availability.ts';
import { FleetAwayError, messageOf } from './errors.ts';
import type { LeaseRequest } from './fleet-client.ts';
import type { Task } from './task.ts';

const MAX_WORKER_ID = 100;

/** Works on one task. What it returns (any JSON, at most 1 MiB; undefined becomes null) is the task's result; what it throws, its error. */
export type Handler = (task: Task, context: TaskContext) => unknown;

/** What a handler gets besides the task. */
export interface TaskContext {
  /** Aborts with a TaskAbortError: the task is cancelled, the lease is lost, or the worker stops. Let the handler end soon then. */
  signal: AbortSignal;
  /** 1 for the first attempt. */
  attempt: number;
  /** Tells the fleet how far the task is, within two seconds; only the latest is sent. `percent` is 0 to 100. */
  progress(percent: number | null, message?: string | null): void;
}

export interface WorkerOptions {
  /** Where the fleet is: `https://fleet.example.com`, a path before the API's included. */
  url: string;
  /** Sent as `X-API-Key`. */
  apiKey?: string;
  /** A bearer token, or what gives a fresh one; asked at every request. */
  token?: string | (() => string | Promise<string>);
  /** Take tasks of the agents of these types; default: of all types. Not with `agentId`. */
  types?: readonly string[];
  /** Take tasks of this agent only. */
  agentId?: string;
  /** How many tasks at once, default 1. */
  concurrency?: number;
  handler: Handler;
  /** How the fleet's records name this worker, 1 to 100 characters; default `<host>:<pid>-<random>`. */
  workerId?: string;
  /**
   * After how many seconds without a word of this worker its tasks go to another, 5 to 900. Default 120: tasks that run outlive a minute
   * without the fleet.
   */
  leaseSeconds?: number;
  /** How long the fleet holds a poll while it has no task, 0 to 30 seconds, default 30. */
  waitSeconds?: number;
  /** How long `stop` lets running handlers finish, default 30 seconds. */
  stopTimeoutSeconds?: number;
  /** Ends by itself after that many tasks; default: never. */
  maxTasks?: number;
  /**
   * Also give up a task when the lease's time has passed without any word from the fleet. Default false: only the fleet's word counts, for
   * while it is away it gives the task to nobody else. True is for handlers that must not run twice at a time, should a network between
   * this worker and the fleet be cut.
   */
  abortOnExpiry?: boolean;
  /** Where to tell what happens; `console` will do. Default: nowhere. */
  logger?: Logger;
}

/** A worker that runs. */
export interface Worker {
  /**
   * Takes no new tasks, lets running handlers finish for `stopTimeoutSeconds`, then aborts them and releases their leases. Resolves when all
   * is done, at most 10 s later; a handler that ignores its signal is left behind.
   */
  stop(): Promise<void>;
  /** Resolves when the worker has stopped; rejects when it cannot go on: the fleet refuses the key, knows no such agent or type. */
  done: Promise<void>;
}

/** Options, checked and complete. */
export interface Settings {
  url: URL;
  credentials: () => Promise<Record<string, string>>;
  request: Omit<LeaseRequest, 'maxTasks'>;
  concurrency: number;
  maxTasks: number;
  handler: Handler;
  leaseMs: number;
  stopTimeoutMs: number;
  abortOnExpiry: boolean;
  logger: Logger;
}

/** @throws TypeError, RangeError with what is wrong */
export function toSettings(options: WorkerOptions): Settings {
  const { types, agentId, maxTasks } = options;
  if (typeof options.handler !== 'function') throw new TypeError('handler must be a function');
  if (types !== undefined && agentId !== undefined) throw new TypeError('types and agentId exclude each other');
  if (types?.length === 0) throw new TypeError('types must not be empty; leave it out for all types');
  if (agentId === '') throw new TypeError('agentId must not be empty');
  return {
    url: toUrl(options.url),
    credentials: toCredentials(options),
    request: {
      workerId: toWorkerId(options.workerId),
      types,
      agentId,
      waitSeconds: within('waitSeconds', options.waitSeconds ?? 30, 0, 30),
      leaseSeconds: within('leaseSeconds', options.leaseSeconds ?? 120, 5, 900),
    },
    concurrency: within('concurrency', options.concurrency ?? 1, 1, 1000),
    maxTasks: maxTasks === undefined ? Number.POSITIVE_INFINITY : within('maxTasks', maxTasks, 1),
    handler: options.handler,
    leaseMs: (options.leaseSeconds ?? 120) * 1000,
    stopTimeoutMs: within('stopTimeoutSeconds', options.stopTimeoutSeconds ?? 30, 0, 86_400) * 1000,
    abortOnExpiry: options.abortOnExpiry ?? false,
    logger: options.logger ?? SILENT,
  };
}

function within(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new RangeError(`${name} must be a whole number ${range}, not ${value}`);
}

function toUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`url must be like http://localhost:8080, not ${text}`);
  if (url.username || url.password) throw new TypeError('url must not hold credentials; give an apiKey or a token');
  url.pathname = url.pathname.replace(/\/*$/, '/');
  url.search = '';
  url.hash = '';
  return url;
}

function toCredentials({ apiKey, token }: WorkerOptions): Settings['credentials'] {
  if (!apiKey && !token) throw new TypeError('apiKey or token must be given');
  assertHeader('apiKey', apiKey);
  if (typeof token === 'string') assertHeader('token', token);
  return async () => ({
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(token && { authorization: `Bearer ${typeof token === 'string' ? token : await freshToken(token)}` }),
  });
}

/** Without this the mistake would look like a fleet that is away. */
function assertHeader(name: string, value: string | undefined): void {
  try {
    if (value) new Headers({ [name]: value });
  } catch {
    throw new TypeError(`${name} holds characters that no header can hold`);
  }
}

async function freshToken(give: () => string | Promise<string>): Promise<string> {
  try {
    const token = await give();
    assertHeader('token', token);
    return token;
  } catch (error) {
    throw new FleetAwayError(`no token: ${messageOf(error)}`);
  }
}

function toWorkerId(workerId: string | undefined): string {
  if (workerId === undefined) {
    const suffix = `:${process.pid}-${randomBytes(3).toString('hex')}`;
    return hostname().slice(0, MAX_WORKER_ID - suffix.length) + suffix;
  }
  if (workerId === '' || workerId.length > MAX_WORKER_ID)
    throw new RangeError('workerId must have 1 to 100 characters');
  return workerId;
}
