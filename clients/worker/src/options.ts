import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { components, JsonFormat, Lease, Task } from '@agent-fleet/sdk';
import { type Logger, SILENT } from './availability.ts';
import type { Accepts, Answer, Ask, DeliveredAs, Message } from './messages.ts';
import type { Dependency, LogEntry, Session, Used } from './task.ts';

const MAX_WORKER_ID = 100;

/** Runs one task. It returns the result (any JSON up to 1 MiB; undefined becomes null) or throws the error. */
export type Handler = (task: Task, context: TaskContext) => unknown;

/** The second argument of a handler. */
export interface TaskContext {
  /** Aborts with a TaskAbortError when the task is cancelled, the lease is lost, or the worker stops. */
  signal: AbortSignal;
  /** 1 for the first attempt. */
  attempt: number;
  /** Of the agent, with what the task gives itself; null without one. Needs `accepts: ['definitions']`. */
  definition: NonNullable<Lease['definition']> | null;
  /** W3C Trace Context of the task, for spans of the handler. */
  traceparent?: string;
  /** Reports the progress to the fleet within two seconds; only the latest is sent. `percent` is 0 to 100. */
  progress(percent: number | null, message?: string | null): void;
  /**
   * Adds to the log of the task. Entries are sent in batches, and dropped when the fleet is unavailable for long. A
   * level of another logger, such as `warning` or `fatal`, becomes the nearest one, and `info` if it has none.
   */
  log(text: string, options?: LogOptions): void;
  /** Reports what the attempt has used so far, with the next heartbeat and with its end, whichever end that is. */
  used(used: Used): void;
  /**
   * Asks a person and waits for the answer, while the time limit of the task stands still; needs `accepts: ['input']`.
   * After `holdSeconds`, or when the worker stops, the attempt is suspended: it aborts with the code `suspended`, and
   * the handler is called again with the answer, which the same call then returns. Null: `signal` has withdrawn it.
   */
  ask(request: Ask, options?: { signal?: AbortSignal }): Promise<Answer>;
  /** To what the suspended attempt asked, by key. */
  answers: ReadonlyMap<string, Answer>;
  /** Any JSON up to 64 KiB, null at first. The handler may set it: a suspension keeps it for the next attempt. */
  state: unknown;
  /**
   * What people say to this attempt, as it comes; needs `accepts: ['messages']`. A message is delivered when it is
   * taken, unless the handler says with `confirms` that it tells that itself.
   */
  messages(options?: { confirms?: boolean }): AsyncIterable<TaskMessage>;
  /** Resolves with what people said before this attempt began, which `messages` then leaves out. */
  earlierMessages(): Promise<TaskMessage[]>;
  /**
   * Suspends the attempt now. Resolves if nothing is asked any more. @throws TaskAbortError `suspended`, for the
   * handler to let pass
   */
  suspend(session?: Session): Promise<void>;
  /** Replaces the suspension after `holdSeconds`, or when the worker stops while a person is asked. */
  onHoldEnd(callback: () => void): void;
  /** What the task comes after, with the results that the fleet has sent. */
  dependencies: readonly Dependency[];
  /** What the fleet has kept of the attempt that was suspended. */
  resume: NonNullable<Lease['resume']> | null;
  /** Shows text that an entry of the log will have in full; it may be dropped. */
  delta(text: string, callId?: string): void;
}

/** What goes with a text in the log: with a type it is an entry of the transcript. */
export type LogOptions = Partial<Pick<LogEntry, 'level' | 'stream' | 'type' | 'data'>>;

/** A message to a handler. An interruption has mode `interrupt` and no text: the next message says what now. */
export interface TaskMessage extends Omit<Message, 'id'> {
  /** Null for an interruption, and for what is to be done after it. */
  id: string | null;
  /** Tells the fleet how it was taken; default: as its mode says. */
  delivered(as?: DeliveredAs): void;
  dropped(): void;
}

export interface WorkerOptions {
  /** Base URL of the fleet, such as `https://fleet.example.com`; it may have a path. */
  url: string;
  /** Sent as `X-API-Key`. */
  apiKey?: string;
  /** A bearer token, or a function that returns one and is called for every request. */
  token?: string | (() => string | Promise<string>);
  /** Takes tasks of agents of these types; default: all types. Not with `agentId`. */
  types?: readonly string[];
  /** Takes tasks of this agent only. */
  agentId?: string;
  /** Tasks to run at the same time, default 1. */
  concurrency?: number;
  handler: Handler;
  /** Name of this worker in the fleet, 1 to 100 characters; default `<host>:<pid>-<random>`. */
  workerId?: string;
  /** Lifetime of a lease without a heartbeat, 5 to 900. Default 120: running tasks survive an outage of a minute. */
  leaseSeconds?: number;
  /** How long the fleet holds a poll without a task, 0 to 30, default 30. */
  waitSeconds?: number;
  /** What the handler takes; default: nothing. */
  accepts?: readonly Accepts[];
  /** What this worker has, such as `gpu`: it gets no task that requires another label. Default: none. */
  labels?: readonly string[];
  /** How long the lease of a task that asks a person is held before it is suspended, default 900. */
  holdSeconds?: number;
  /** How long `stop` lets running handlers finish, default 30. */
  stopTimeoutSeconds?: number;
  /** Providers that take no calls until a time: until then, no tasks that need them are taken. Asked at each poll. */
  pauses?: () => Pause[];
  /** Stops after that many tasks; default: never. */
  maxTasks?: number;
  /**
   * Also aborts a task when its lease has expired by the local clock. Default false: only the fleet ends a lease, since
   * it gives the task to no other worker while it is down. Set it for handlers that must never run twice at the same
   * time, even if the network is cut.
   */
  abortOnExpiry?: boolean;
  /** Reads tasks and writes results; `exactJson` of `@agent-fleet/sdk/exact-json` keeps numbers. Default: `JSON`. */
  json?: JsonFormat;
  /** Receives log lines, such as `console`. Default: none. */
  logger?: Logger;
}

export type Pause = components['schemas']['ProviderPauseInput'];

/** A running worker. */
export interface Worker {
  /**
   * Takes no new tasks, lets running handlers finish for `stopTimeoutSeconds`, then aborts them and releases their
   * leases. Resolves at most 10 s later, even if a handler ignores its signal.
   */
  stop(): Promise<void>;
  /** Resolves when the worker has stopped; rejects when the fleet refuses the credentials, the agent or the types. */
  done: Promise<void>;
}

export type Settings = ReturnType<typeof toSettings>;

/** Validates the options and adds all defaults. @throws TypeError, RangeError for an invalid option */
export function toSettings(options: WorkerOptions) {
  const { types, agentId, maxTasks } = options;
  if (typeof options.handler !== 'function') throw new TypeError('handler must be a function');
  if (types !== undefined && agentId !== undefined) throw new TypeError('types and agentId exclude each other');
  if (types?.length === 0) throw new TypeError('types must not be empty; leave it out for all types');
  if (agentId === '') throw new TypeError('agentId must not be empty');
  return {
    fleet: toFleetOptions(options),
    json: options.json ?? JSON,
    request: {
      workerId: toWorkerId(options.workerId),
      types,
      agentId,
      waitSeconds: within('waitSeconds', options.waitSeconds ?? 30, 0, 30),
      leaseSeconds: within('leaseSeconds', options.leaseSeconds ?? 120, 5, 900),
      accepts: options.accepts ?? [],
      labels: options.labels ?? [],
    },
    holdMs: within('holdSeconds', options.holdSeconds ?? 900, 0, 604_800) * 1000,
    concurrency: within('concurrency', options.concurrency ?? 1, 1, 1000),
    maxTasks: maxTasks === undefined ? Number.POSITIVE_INFINITY : within('maxTasks', maxTasks, 1),
    handler: options.handler,
    pauses: options.pauses ?? (() => []),
    leaseMs: (options.leaseSeconds ?? 120) * 1000,
    stopTimeoutMs: within('stopTimeoutSeconds', options.stopTimeoutSeconds ?? 30, 0, 86_400) * 1000,
    abortOnExpiry: options.abortOnExpiry ?? false,
    logger: options.logger ?? SILENT,
  };
}

/** The fleet checks them. */
function toFleetOptions({ url, apiKey, token, json }: WorkerOptions) {
  if (!apiKey && !token) throw new TypeError('apiKey or token must be given');
  return { url, apiKey, token, json };
}

function within(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new RangeError(`${name} must be a whole number ${range}, not ${value}`);
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
