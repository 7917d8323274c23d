import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import type { Task } from '../../src/index.ts';
import type { LogEntry } from '../../src/task.ts';

/** A request to the fleet. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  atMs: number;
}

/** Replaces a response; `cut` handles the request, but closes the connection instead of responding. */
export type Fault = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'silence';

interface HeldLease {
  id: string;
  token: string;
  task: Task;
  report?: string;
  /** Ends a lease without a report: with 404, its task is deleted. */
  lost?: 409 | 404;
  released?: boolean;
  log: LogEntry[];
  /** What its worker asks, by key. */
  requests: Map<string, Record<string, unknown>>;
  inbox: Record<string, unknown>[];
  suspension?: Record<string, unknown>;
}

const HEARTBEAT_SECONDS = 0.1;
/** By the fleet's clock, which workers must not compare with their own. */
const EXPIRED = '2020-01-01T00:00:00.000Z';
export const POLL = /^POST (\/agents\/[^/]+)?\/leases$/;
export const HEARTBEAT = /heartbeat$/;
export const RESULT = /result$/;
export const LOG = /log-entries$/;
export const ASK = /input-requests$/;
export const INBOX = /inbox/;
export const SUSPENSION = /suspension$/;

/** The documented lease operations of a fleet, in this process, with faults on demand. An outage keeps its tasks. */
export class FakeFleet {
  requests: Received[] = [];
  held: HeldLease[] = [];
  /** Polls in flight: now, and their maximum. */
  polls = { now: 0, most: 0 };
  heartbeatSeconds = HEARTBEAT_SECONDS;
  #server = createServer((request, response) => void this.#respond(request, response));
  #port = 0;
  #pending: Task[] = [];
  #cancelled = new Set<string>();
  #faults: { pattern: RegExp; fault: Fault; times: number; when: (body: Received['body']) => boolean }[] = [];

  static async start(): Promise<FakeFleet> {
    const fleet = new FakeFleet();
    await fleet.up();
    return fleet;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses connections and cuts the open ones. */
  async down(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Discards all tasks and leases, and changes the port, so that clients cannot reuse connections. */
  async reset(): Promise<void> {
    if (this.#server.listening) await this.down();
    await until(() => this.polls.now === 0, { message: 'all polls have ended' });
    this.requests = [];
    this.held = [];
    this.polls = { now: 0, most: 0 };
    this.heartbeatSeconds = HEARTBEAT_SECONDS;
    this.#pending = [];
    this.#cancelled = new Set();
    this.#faults = [];
    this.#port = 0;
    await this.up();
  }

  add(message: string, more: Partial<Task> = {}): Task {
    const task = { id: randomUUID(), agent_id: 'agent-1', message, input: null, attempt: 0, ...more } as Task;
    this.#pending.push(task);
    return task;
  }

  cancel(task: Task): void {
    this.#cancelled.add(task.id);
  }

  /** Ends the lease of a task: 409 from now on, or 404 as if the task were deleted. */
  revoke(task: Task, status: 409 | 404 = 409): void {
    for (const lease of this.held) if (lease.task.id === task.id) lease.lost = status;
  }

  /** Injects faults into the next `times` requests that match `METHOD /path`. */
  fail(pattern: RegExp, fault: Fault, times = 1, when = (_body: Received['body']) => true): void {
    this.#faults.push({ pattern, fault, times, when });
  }

  /** Answers 400 to each request that matches `METHOD /path` and has such a body. */
  refuse(pattern: RegExp, isBad: (body: Received['body']) => boolean): void {
    const body = { error: 'validation_error', message: 'no' };
    this.fail(pattern, { status: 400, body }, Number.POSITIVE_INFINITY, isBad);
  }

  all(pattern: RegExp): Received[] {
    return this.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`));
  }

  count(pattern: RegExp): number {
    return this.all(pattern).length;
  }

  untilRequested(pattern: RegExp, times = 1): Promise<Received[]> {
    return until(() => this.all(pattern), { holds: (found) => found.length >= times, message: `${pattern}` });
  }

  /** The report of a task without its token. */
  async reportOf(task: Task): Promise<Record<string, unknown>> {
    const read = () => this.held.find((lease) => lease.task.id === task.id && lease.report)?.report;
    const { token, ...report } = JSON.parse((await until(read, { message: `a report of ${task.message}` })) as string);
    return report;
  }

  logOf(task: Task): LogEntry[] {
    return this.held.filter((lease) => lease.task.id === task.id).flatMap(({ log }) => log);
  }

  async untilReleased(task: Task): Promise<void> {
    const isReleased = () => this.held.some((lease) => lease.task.id === task.id && lease.released);
    await until(isReleased, { message: `task ${task.message} is released` });
  }

  /** Adds to the inbox of a task, as soon as it is leased. */
  async say(task: Task, item: Record<string, unknown>): Promise<void> {
    const find = () => this.held.findLast((lease) => lease.task.id === task.id);
    const { inbox } = (await until(find, { message: `a lease of ${task.message}` })) as HeldLease;
    inbox.push({ n: inbox.length + 1, ...item });
  }

  /** Answers what the worker of a task asks, as soon as it does. */
  async answer(task: Task, key: string, answer: Record<string, unknown>): Promise<void> {
    const find = () => this.held.findLast((lease) => lease.task.id === task.id)?.requests.get(key);
    const request = (await until(find, { message: `request ${key}` })) as Record<string, unknown>;
    const given = { option_ids: null, text: null, values: null, ...answer };
    Object.assign(request, { state: 'answered', answer: given });
    await this.say(task, { type: 'answer', request_id: request.id, answer: given });
  }

  async suspensionOf(task: Task): Promise<Record<string, unknown>> {
    const read = () => this.held.find((lease) => lease.task.id === task.id && lease.suspension)?.suspension;
    return (await until(read, { message: `a suspension of ${task.message}` })) as Record<string, unknown>;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.toArray().catch(() => [])).join('');
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: text ? JSON.parse(text) : {}, atMs: performance.now() };
    this.requests.push(received);
    const key = `${method} ${path}`;
    const found = this.#faults.find(
      ({ pattern, times, when }) => times > 0 && pattern.test(key) && when(received.body),
    );
    if (found) found.times -= 1;
    const fault = found?.fault;
    if (fault === 'silence') return;
    if (typeof fault === 'object') return send(response, fault.status, fault.body, fault.headers);
    if (INBOX.test(path)) await this.#untilItems(path, response);
    const reply = POLL.test(key) ? await this.#poll(received.body, response) : this.#change(key, received);
    if (fault === 'cut') response.destroy();
    else send(response, ...reply);
  }

  async #poll(body: Received['body'], response: ServerResponse): Promise<[number, unknown?]> {
    this.polls.now += 1;
    this.polls.most = Math.max(this.polls.most, this.polls.now);
    const until = performance.now() + Number(body.wait_seconds) * 1000;
    while (this.#pending.length === 0 && performance.now() < until && !response.closed) await sleep(10);
    this.polls.now -= 1;
    const count = response.closed ? 0 : Number(body.max_tasks);
    const leases = this.#pending.splice(0, count).map((task) => this.#lease(task));
    return leases.length === 0 ? [204] : [201, { leases }];
  }

  #lease(task: Task) {
    const { resume, ...known } = task as Task & { resume?: unknown };
    const leased: Task = { ...known, attempt: task.attempt + 1, status: 'running' };
    const id = `lease.${task.id}.${this.held.length}`;
    const lease = { id, token: randomUUID(), task: leased, log: [], requests: new Map(), inbox: [] };
    this.held.push(lease);
    const { attempt } = leased;
    return {
      id: lease.id,
      token: lease.token,
      task: leased,
      attempt,
      expires_at: EXPIRED,
      heartbeat_interval_seconds: this.heartbeatSeconds,
      ...(resume !== undefined && { resume }),
    };
  }

  #change(key: string, { headers, body }: Received): [number, unknown?] {
    const [, method, id, what] = /^(\w+) \/leases\/([^/]+)\/?([\w-]*)(?:[/?].*)?$/.exec(key) ?? [];
    const lease = this.held.find((candidate) => candidate.id === id);
    if (!lease || lease.lost === 404) return [404, { detail: 'Lease not found' }];
    const lost: [number, unknown] = [409, { error: 'lease_lost', message: 'The lease is no longer held' }];
    const isHolder = (headers['x-lease-token'] ?? body.token) === lease.token;
    if (lease.lost || lease.released || lease.suspension || !isHolder) return lost;
    if (what === 'input-requests') return this.#ask(lease, method, body);
    if (what === 'inbox') {
      const after = Number(new URLSearchParams(key.split('?')[1]).get('after'));
      return [200, { items: lease.inbox.slice(after) }];
    }
    if (what === 'messages' || what === 'interruption' || what === 'deltas') return [204];
    if (what === 'suspension') {
      const isWaiting = [...lease.requests.values()].some(({ state }) => state === 'open');
      if (!isWaiting) return [409, { error: 'nothing_to_wait_for', message: 'Nothing is asked' }];
      lease.suspension = body;
      return [200, {}];
    }
    if (method === 'DELETE') {
      lease.released = true;
      return [204];
    }
    if (what === 'log-entries') {
      lease.log.push(...(body.entries as LogEntry[]));
      return [204];
    }
    if (what === 'result') {
      lease.report ??= JSON.stringify(body);
      return lease.report === JSON.stringify(body) ? [200, lease.task] : lost;
    }
    if (lease.report !== undefined) return lost;
    const cancelRequested = this.#cancelled.has(lease.task.id);
    return [200, { expires_at: EXPIRED, cancel_requested: cancelRequested, inbox: lease.inbox.length }];
  }

  async #untilItems(path: string, response: ServerResponse): Promise<void> {
    const [id, query] = [path.split('/')[2], new URLSearchParams(path.split('?')[1])];
    const lease = this.held.find((candidate) => candidate.id === id);
    const until = performance.now() + Number(query.get('wait')) * 1000;
    const isQuiet = () =>
      lease && lease.inbox.length <= Number(query.get('after')) && !lease.suspension && !lease.report;
    while (isQuiet() && performance.now() < until && !response.closed) await sleep(10);
  }

  #ask({ requests }: HeldLease, method: string | undefined, body: Received['body']): [number, unknown?] {
    if (method === 'DELETE') return [204];
    const known = requests.get(String(body.key));
    if (known) return [200, known];
    const request = { ...body, id: randomUUID(), state: 'open', answer: null };
    requests.set(String(body.key), request);
    return [201, request];
  }
}

function send(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
