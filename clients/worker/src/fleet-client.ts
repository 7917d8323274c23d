import type { Availability } from './availability.ts';
import { FleetAwayError, FleetRefusedError, messageOf } from './errors.ts';
import type { Lease, Progress, Report } from './task.ts';

/** Added to the time for which the fleet may hold a poll. */
const POLL_MARGIN_MS = 10_000;
const DEADLINE_MS = 10_000;
/** A result may be 1 MiB. */
const REPORT_DEADLINE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 60_000;
const SHOWN_CHARACTERS = 300;
/** What a load balancer, the gateway or a busy service answers for a while; 408 comes when a connection ends while idle. */
const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500;

/** The four operations of the lease protocol; each has a deadline. @throws FleetAwayError, FleetRefusedError, the signal's reason */
export interface FleetClient {
  /** Waits for tasks; none came: `[]`. */
  lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease[]>;
  heartbeat(lease: Lease, progress: Progress | undefined, signal: AbortSignal): Promise<{ cancelRequested: boolean }>;
  report(lease: Lease, report: Report, signal: AbortSignal): Promise<void>;
  release(lease: Lease, signal: AbortSignal): Promise<void>;
}

export interface LeaseRequest {
  workerId: string;
  /** Undefined: of all types. */
  types?: readonly string[];
  /** Tasks of this agent only. */
  agentId?: string;
  maxTasks: number;
  waitSeconds: number;
  leaseSeconds: number;
}

export interface FleetClientOptions {
  url: URL;
  /** The headers that prove who calls; asked for at every request. */
  credentials: () => Promise<Record<string, string>>;
  availability: Availability;
}

interface Call {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  deadlineMs?: number;
  signal: AbortSignal;
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const ignore = () => {};

export function createFleetClient({ url, credentials, availability }: FleetClientOptions): FleetClient {
  async function call<T>(request: Call, read: (answer: Answer) => T): Promise<T> {
    try {
      const answer = await exchange(url, request, await credentials());
      if (isTemporary(answer.status)) throw new FleetAwayError(describe(answer), retryAfterOf(answer.headers));
      const isSuccess = answer.status >= 200 && answer.status < 300;
      const value = isSuccess ? read(answer) : new FleetRefusedError(describe(answer), answer.status);
      availability.here();
      if (value instanceof FleetRefusedError) throw value;
      return value;
    } catch (error) {
      if (error instanceof FleetAwayError) availability.away(error.message);
      throw error;
    }
  }

  return {
    async lease({ agentId, ...request }, signal) {
      const poll: Call = {
        method: 'POST',
        path: agentId === undefined ? 'leases' : `agents/${encodeURIComponent(agentId)}/leases`,
        body: {
          worker_id: request.workerId,
          types: request.types,
          max_tasks: request.maxTasks,
          wait_seconds: request.waitSeconds,
          lease_seconds: request.leaseSeconds,
        },
        deadlineMs: request.waitSeconds * 1000 + POLL_MARGIN_MS,
        signal,
      };
      return await call(poll, (answer) => (answer.status === 204 ? [] : toLeases(answer)));
    },

    async heartbeat(lease, progress, signal) {
      const body = { token: lease.token, progress };
      return await call({ method: 'PUT', path: `${pathOf(lease)}/heartbeat`, body, signal }, (answer) => ({
        cancelRequested: parse(answer).cancel_requested === true,
      }));
    },

    async report(lease, report, signal) {
      const body = { token: lease.token, ...report };
      const path = `${pathOf(lease)}/result`;
      await call({ method: 'PUT', path, body, deadlineMs: REPORT_DEADLINE_MS, signal }, ignore);
    },

    async release(lease, signal) {
      const headers = { 'x-lease-token': lease.token };
      await call({ method: 'DELETE', path: pathOf(lease), headers, signal }, ignore);
    },
  };
}

function pathOf(lease: Lease): string {
  return `leases/${encodeURIComponent(lease.id)}`;
}

/** One request and its whole answer. AbortSignal.any and AbortSignal.timeout would outlive it on a signal that lives for months. */
async function exchange(base: URL, request: Call, credentials: Record<string, string>): Promise<Answer> {
  const { signal, deadlineMs = DEADLINE_MS } = request;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => {
    controller.abort(new FleetAwayError(`no answer within ${deadlineMs / 1000} s`));
  }, deadlineMs);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    const response = await fetch(new URL(request.path, base), {
      method: request.method,
      headers: {
        ...credentials,
        ...request.headers,
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      // Following would hand the key to whoever is there.
      redirect: 'manual',
      signal: controller.signal,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new FleetAwayError(networkReason(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** fetch says `fetch failed` and hides why in the cause. */
function networkReason(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  // With several addresses only the code says something.
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || messageOf(error);
}

/** For people: the status, and what the body says of it in our two forms of error bodies. */
function describe({ status, headers, text }: Answer): string {
  if (status >= 300 && status < 400) return `it answers ${status} to ${headers.get('location') ?? 'nowhere'}`;
  const { detail, message, details } = parseObject(text) ?? {};
  const fields = (details as { fields?: { path: string; message: string }[] } | undefined)?.fields;
  const said =
    (Array.isArray(fields) && fields.map((field) => `${field.path} ${field.message}`).join(', ')) || detail || message;
  return said ? `${status}: ${String(said).slice(0, SHOWN_CHARACTERS)}` : `it answers ${status}`;
}

/** @throws FleetAwayError on what no fleet says: something between here and there answers in its place */
function parse({ status, text }: Answer): Record<string, unknown> {
  const body = parseObject(text);
  if (body === undefined) throw new FleetAwayError(`it answers ${status} with something that is not JSON`);
  return body;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function toLeases(answer: Answer): Lease[] {
  const { leases } = parse(answer);
  if (!Array.isArray(leases) || !leases.every(isLease)) throw new FleetAwayError('it answers without leases');
  return leases;
}

function isLease(value: Partial<Lease> | null): value is Lease {
  return typeof value?.id === 'string' && typeof value.token === 'string' && typeof value.task?.id === 'string';
}

/** Seconds only: a date would have to be compared with this machine's clock. */
function retryAfterOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 0), MAX_RETRY_AFTER_MS) : 0;
}
