import type { Availability } from './availability.ts';
import { FleetRefusedError, FleetUnavailableError, messageOf } from './errors.ts';
import type { Settings } from './options.ts';
import type { Lease, Progress, Report } from './task.ts';

/** Added to the time that the fleet may hold a poll. */
const POLL_MARGIN_MS = 10_000;
const DEADLINE_MS = 10_000;
/** A result may be 1 MiB. */
const REPORT_DEADLINE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 60_000;
const SHOWN_CHARACTERS = 300;
/** Responses of a load balancer, the gateway or an overloaded service; an idle connection may end with 408. */
const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500;

type LeaseRequest = Settings['request'] & { maxTasks: number };

interface Call {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  deadlineMs?: number;
  signal: AbortSignal;
}

type FleetResponse = Awaited<ReturnType<typeof exchange>>;

const ignore = () => {};

export type FleetClient = ReturnType<typeof createFleetClient>;

/**
 * The four operations of the lease protocol. Each has a deadline and asks for `credentials`, the authentication
 * headers. They throw FleetUnavailableError, FleetRefusedError or the signal's reason.
 */
export function createFleetClient({ url, credentials }: Settings, availability: Availability) {
  async function call<T>(request: Call, read: (response: FleetResponse) => T): Promise<T> {
    try {
      const response = await exchange(url, request, await credentials());
      if (isTemporary(response.status))
        throw new FleetUnavailableError(describe(response), retryAfterOf(response.headers));
      const isSuccess = response.status >= 200 && response.status < 300;
      const value = isSuccess ? read(response) : new FleetRefusedError(describe(response), response.status);
      availability.available();
      if (value instanceof FleetRefusedError) throw value;
      return value;
    } catch (error) {
      if (error instanceof FleetUnavailableError) availability.unavailable(error.message);
      throw error;
    }
  }

  return {
    /** Waits for tasks; `[]` when none came. */
    async lease({ agentId, ...request }: LeaseRequest, signal: AbortSignal): Promise<Lease[]> {
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
      return await call(poll, (response) => (response.status === 204 ? [] : toLeases(response)));
    },

    async heartbeat(lease: Lease, progress: Progress | undefined, signal: AbortSignal) {
      const body = { token: lease.token, progress };
      return await call({ method: 'PUT', path: `${pathOf(lease)}/heartbeat`, body, signal }, (response) => ({
        cancelRequested: parse(response).cancel_requested === true,
      }));
    },

    async report(lease: Lease, report: Report, signal: AbortSignal): Promise<void> {
      const body = { token: lease.token, ...report };
      const path = `${pathOf(lease)}/result`;
      await call({ method: 'PUT', path, body, deadlineMs: REPORT_DEADLINE_MS, signal }, ignore);
    },

    async release(lease: Lease, signal: AbortSignal): Promise<void> {
      const headers = { 'x-lease-token': lease.token };
      await call({ method: 'DELETE', path: pathOf(lease), headers, signal }, ignore);
    },
  };
}

function pathOf(lease: Lease): string {
  return `leases/${encodeURIComponent(lease.id)}`;
}

/** One request and its whole response. AbortSignal.any would leak on a signal that lives as long as the worker. */
async function exchange(base: URL, request: Call, credentials: Record<string, string>) {
  const { signal, deadlineMs = DEADLINE_MS } = request;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => {
    controller.abort(new FleetUnavailableError(`no response within ${deadlineMs / 1000} s`));
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
      // Following a redirect would send the key to another server.
      redirect: 'manual',
      signal: controller.signal,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new FleetUnavailableError(networkReason(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** fetch throws `fetch failed`, with the reason as its cause. */
function networkReason(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  // An error of several addresses has no message, only a code.
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || messageOf(error);
}

/** The status and the message of the body, in either form of error bodies. */
function describe({ status, headers, text }: FleetResponse): string {
  if (status >= 300 && status < 400) return `redirect ${status} to ${headers.get('location') ?? 'nowhere'}`;
  const { detail, message, details } = parseObject(text) ?? {};
  const fields = (details as { fields?: { path: string; message: string }[] } | undefined)?.fields;
  const reason =
    (Array.isArray(fields) && fields.map((field) => `${field.path} ${field.message}`).join(', ')) || detail || message;
  return reason ? `${status}: ${String(reason).slice(0, SHOWN_CHARACTERS)}` : `status ${status}`;
}

/** @throws FleetUnavailableError for anything but JSON: an intermediary responded in place of the fleet */
function parse({ status, text }: FleetResponse): Record<string, unknown> {
  const body = parseObject(text);
  if (body === undefined) throw new FleetUnavailableError(`response ${status} is not JSON`);
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

function toLeases(response: FleetResponse): Lease[] {
  const { leases } = parse(response);
  if (!Array.isArray(leases) || !leases.every(isLease)) throw new FleetUnavailableError('the response has no leases');
  return leases;
}

function isLease(value: Partial<Lease> | null): value is Lease {
  return typeof value?.id === 'string' && typeof value.token === 'string' && typeof value.task?.id === 'string';
}

/** Seconds only: a date would depend on this machine's clock. */
function retryAfterOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 0), MAX_RETRY_AFTER_MS) : 0;
}
