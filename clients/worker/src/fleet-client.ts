import {
  type components,
  createFleet,
  type Fleet,
  FleetUnavailableError,
  type JsonFormat,
  type Lease,
} from '@agent-fleet/sdk';
import type { Availability } from './availability.ts';
import { isRefused, isUnavailable } from './errors.ts';
import type { Ask, DeliveredAs } from './messages.ts';
import type { Pause, Settings } from './options.ts';
import { fieldsOf, type HeartbeatContent, type LogEntry, type Report, type Session, traceHeadersOf } from './task.ts';

/** Added to the time that the fleet may hold a poll. */
const POLL_MARGIN_MS = 10_000;
const DEADLINE_MS = 10_000;
/** A result may be 1 MiB. */
const REPORT_DEADLINE_MS = 30_000;

type LeaseRequest = Settings['request'] & { maxTasks: number; paused: Pause[] };

/**
 * The operations of the lease protocol, each a single request: what to repeat, and for how long, is for the caller.
 * They throw FleetError or the signal's reason.
 */
export class FleetClient {
  readonly #fleet: Fleet;
  readonly json: JsonFormat;
  readonly #availability: Availability;

  constructor({ fleet, json }: Settings, availability: Availability) {
    this.json = json;
    this.#fleet = createFleet({ ...fleet, retries: 0, timeoutMs: DEADLINE_MS });
    this.#availability = availability;
  }

  /** Waits for tasks; `[]` when none came. */
  lease(request: LeaseRequest, signal: AbortSignal) {
    const { agentId, types, maxTasks, waitSeconds, leaseSeconds, workerId, accepts, labels, paused } = request;
    const body = {
      worker_id: workerId,
      max_tasks: maxTasks,
      wait_seconds: waitSeconds,
      lease_seconds: leaseSeconds,
      ...(accepts.length > 0 && { accepts: [...accepts] }),
      ...(labels.length > 0 && { labels: [...labels] }),
      ...(paused.length > 0 && { paused }),
    };
    const limits = { signal, timeoutMs: waitSeconds * 1000 + POLL_MARGIN_MS };
    const response =
      agentId === undefined
        ? this.#fleet.post('/leases', { body: { ...body, types: types && [...types] }, ...limits })
        : this.#fleet.post('/agents/{agent_id}/leases', { params: { path: { agent_id: agentId } }, body, ...limits });
    return this.#call(response.then(toLeases));
  }

  async heartbeat(lease: Lease, content: HeartbeatContent, signal: AbortSignal) {
    const body = { token: lease.token, ...content };
    const { data } = await this.#call(
      this.#fleet.put('/leases/{lease_id}/heartbeat', { ...about(lease), body, signal }),
    );
    return { cancelRequested: data.cancel_requested === true, inbox: data.inbox ?? 0 };
  }

  async report(lease: Lease, { usage, cost, model, ...outcome }: Report, signal: AbortSignal): Promise<void> {
    const body = { token: lease.token, ...outcome, ...Object.fromEntries(fieldsOf({ usage, cost, model })) };
    const limits = { signal, timeoutMs: REPORT_DEADLINE_MS };
    await this.#call(this.#fleet.put('/leases/{lease_id}/result', { ...about(lease), body, ...limits }));
  }

  async release(lease: Lease, signal: AbortSignal): Promise<void> {
    const params = { path: { lease_id: lease.id }, header: tokenOf(lease) };
    await this.#call(this.#fleet.delete('/leases/{lease_id}', { params, headers: traceHeadersOf(lease), signal }));
  }

  async log(lease: Lease, entries: LogEntry[], signal: AbortSignal): Promise<void> {
    const body = { token: lease.token, entries };
    await this.#call(this.#fleet.post('/leases/{lease_id}/log-entries', { ...about(lease), body, signal }));
  }

  /** The same key again is the same request, answered perhaps. */
  async ask(lease: Lease, request: Ask, signal: AbortSignal) {
    const body = { token: lease.token, ...request } as Schemas['InputRequestInput'];
    const { data } = await this.#call(
      this.#fleet.post('/leases/{lease_id}/input-requests', { ...about(lease), body, signal }),
    );
    return data;
  }

  async withdraw(lease: Lease, id: string, signal: AbortSignal): Promise<void> {
    const params = { path: { lease_id: lease.id, request_id: id }, header: tokenOf(lease) };
    const headers = traceHeadersOf(lease);
    await this.#call(this.#fleet.delete('/leases/{lease_id}/input-requests/{request_id}', { params, headers, signal }));
  }

  /** Waits for what people say; `after` acknowledges. */
  async inbox(
    lease: Lease,
    { after, waitSeconds }: { after: number | undefined; waitSeconds: number },
    signal: AbortSignal,
  ) {
    const query = { wait: waitSeconds, ...(after !== undefined && { after }) };
    const params = { path: { lease_id: lease.id }, header: tokenOf(lease), query };
    const limits = { signal, timeoutMs: waitSeconds * 1000 + POLL_MARGIN_MS };
    const { data } = await this.#call(
      this.#fleet.get('/leases/{lease_id}/inbox', { params, headers: traceHeadersOf(lease), ...limits }),
    );
    return data.items;
  }

  async confirmMessage(lease: Lease, id: string, { state, as }: Confirmation, signal: AbortSignal): Promise<void> {
    const params = { path: { lease_id: lease.id, message_id: id } };
    const body = { token: lease.token, state, ...(as && { as }) };
    const sent = { params, headers: traceHeadersOf(lease), body, signal };
    await this.#call(this.#fleet.put('/leases/{lease_id}/messages/{message_id}', sent));
  }

  async confirmInterruption(lease: Lease, signal: AbortSignal): Promise<void> {
    const body = { token: lease.token };
    await this.#call(this.#fleet.put('/leases/{lease_id}/interruption', { ...about(lease), body, signal }));
  }

  async suspend(lease: Lease, { session, state }: { session?: Session; state?: unknown }, signal: AbortSignal) {
    const body = { token: lease.token, ...(session && { session }), ...(state !== undefined && { state }) };
    const limits = { signal, timeoutMs: REPORT_DEADLINE_MS };
    await this.#call(this.#fleet.put('/leases/{lease_id}/suspension', { ...about(lease), body, ...limits }));
  }

  async delta(lease: Lease, { text, call_id }: { text: string; call_id?: string }, signal: AbortSignal): Promise<void> {
    const body = { token: lease.token, text, ...(call_id !== undefined && { call_id }) };
    await this.#call(this.#fleet.post('/leases/{lease_id}/deltas', { ...about(lease), body, signal }));
  }

  async #call<T>(request: Promise<T>): Promise<T> {
    try {
      const answer = await request;
      this.#availability.available();
      return answer;
    } catch (error) {
      if (isUnavailable(error)) this.#availability.unavailable(error.message);
      if (isRefused(error)) this.#availability.available();
      throw error;
    }
  }
}

interface Confirmation {
  state: 'delivered' | 'dropped';
  as?: DeliveredAs;
}

type Schemas = components['schemas'];

/** What people say to the holder of a lease. */
export type InboxItem = Schemas['InboxItem'];

const tokenOf = ({ token }: Lease) => ({ 'X-Lease-Token': token });

function about(lease: Lease) {
  return { params: { path: { lease_id: lease.id } }, headers: traceHeadersOf(lease) };
}

/** @throws FleetUnavailableError for anything but leases: an intermediary responded in place of the fleet */
function toLeases({ data, response }: { data: unknown; response: Response }): Lease[] {
  if (response.status === 204) return [];
  if (typeof data !== 'object' || data === null) throw new FleetUnavailableError('the response is not JSON of a fleet');
  const { leases } = data as { leases?: unknown };
  if (!Array.isArray(leases) || !leases.every(isLease)) throw new FleetUnavailableError('the response has no leases');
  return leases;
}

function isLease(value: Partial<Lease> | null): value is Lease {
  return typeof value?.id === 'string' && typeof value.token === 'string' && typeof value.task?.id === 'string';
}
