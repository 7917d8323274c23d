import { afterAll, beforeAll } from '@jest/globals';
import type { OpenApiDocument } from '../contract/document.ts';
import { Accounts } from './accounts.ts';
import { EventStream } from './event-stream.ts';
import { type CallOptions, expectStatus, HttpClient, type HttpResponse } from './http-client.ts';
import { LocalFleet, type LocalFleetOptions } from './local-fleet.ts';
import { type FleetPlace, ownTypes, placeOf, sharedFleet } from './shared-fleet.ts';
import { CONTROLS_PROCESSES, SYSTEM } from './system.ts';

/** The longest possible. */
const LEASE_SECONDS = 900;
const OPEN_TIMEOUT_MS = 180_000;

export interface Agent {
  id: string;
  name: string;
  type: string;
  status: string;
  created_at: string;
}

/** The fields of a task that the tests read. */
export interface Task {
  id: string;
  agent_id: string;
  message: string;
  status: string;
  created_at: string;
  created_by?: { id: string; name: string } | null;
  [field: string]: unknown;
}

/** A leased task, as its worker has it. */
export interface Lease {
  id: string;
  token: string;
  task: Task;
  attempt: number;
  expires_at: string;
  heartbeat_interval_seconds: number;
}

type Held = Pick<Lease, 'id' | 'token'>;
type TaskKey = Pick<Task, 'agent_id' | 'id'>;

export interface Attempt {
  number: number;
  started_at: string;
  ended_at: string | null;
  outcome: string;
  error: { code: string } | null;
}

export function pathOf({ agent_id, id }: TaskKey): string {
  return `/agents/${agent_id}/tasks/${id}`;
}

/** The API of the system under test. Agents created here are deleted at the end. */
export class Api {
  readonly admin = SYSTEM.admin;
  readonly apiKey = SYSTEM.apiKey;
  /** Users, API keys and sessions. */
  readonly accounts = new Accounts((method, path, options) => this.call(method, path, options));
  /** The agent types that this file may use. */
  types: string[] = [];
  #fleet: LocalFleet | undefined;
  #shared: FleetPlace | undefined;
  #http: HttpClient | undefined;
  #token: Promise<string> | undefined;
  readonly #made = new Set<string>();

  /** One that is open during the tests of the file or block that calls this. */
  static duringTests(options?: LocalFleetOptions): Api {
    const api = new Api();
    beforeAll(() => api.open(options), OPEN_TIMEOUT_MS);
    afterAll(() => api.close(), OPEN_TIMEOUT_MS);
    return api;
  }

  /** Connects to the running system of `E2E_BASE_URL`, else to the shared fleet; with `options`, starts a fleet. */
  async open(options?: LocalFleetOptions): Promise<void> {
    if (CONTROLS_PROCESSES && !options) this.#shared = sharedFleet();
    if (CONTROLS_PROCESSES && !this.#shared) this.#fleet = await LocalFleet.start(options);
    this.#http = new HttpClient(this.baseUrl, { apiKey: this.apiKey, token: () => this.token() });
    const { json } = await this.call('GET', '/openapi.json', { as: 'nobody' });
    const types = (json as OpenApiDocument).components.schemas.AgentInput?.properties?.type?.enum ?? [];
    this.types = this.#shared ? ownTypes() : types;
  }

  get baseUrl(): string {
    return SYSTEM.baseUrl ?? this.#shared?.baseUrl ?? this.fleet.baseUrl;
  }

  /** Where the fleet on this machine is. @throws with `E2E_BASE_URL` */
  get place(): FleetPlace {
    return this.#shared ?? placeOf(this.fleet);
  }

  /** A fleet whose processes this file controls. @throws unless it has started one */
  get fleet(): LocalFleet {
    if (!this.#fleet) throw new Error('The tests do not control the system under test');
    return this.#fleet;
  }

  /** An access token of the admin; requested once. */
  token(): Promise<string> {
    this.#token ??= this.signIn().then(
      (response) => expectStatus<{ access_token: string }>(response, 200).access_token,
    );
    return this.#token;
  }

  /** Sends `POST /token` with the OAuth 2 form. */
  signIn(): Promise<HttpResponse> {
    const { email: username, password } = this.admin;
    return this.call('POST', '/token', {
      as: 'nobody',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ grant_type: 'password', username, password })),
    });
  }

  call(method: string, path: string, options?: CallOptions): Promise<HttpResponse> {
    if (!this.#http) throw new Error('The system under test is not open');
    return this.#http.call(method, path, options);
  }

  get(path: string, headers: CallOptions['headers'] = {}): Promise<HttpResponse> {
    return this.call('GET', path, { headers });
  }

  async createAgent(fields: Partial<Agent> = {}): Promise<Agent> {
    const body = { name: 'An agent', type: this.types[0], ...fields };
    const agent = expectStatus<Agent>(await this.call('POST', '/agents', { body }), 201);
    this.#made.add(agent.id);
    return agent;
  }

  /** Whether an agent is of this file, deleted or not. */
  hasMade(agentId: string): boolean {
    return this.#made.has(agentId);
  }

  createAgents(count: number, fields?: Partial<Agent>): Promise<Agent[]> {
    return Promise.all(Array.from({ length: count }, () => this.createAgent(fields)));
  }

  async createTask(agentId: string, fields: Record<string, unknown> = {}): Promise<Task> {
    const body = { message: 'Do it', ...fields };
    const path = `/agents/${agentId}/tasks?allow_unknown_skills=true`;
    return expectStatus(await this.call('POST', path, { body }), 201);
  }

  /** Creates at most 500 tasks in one request. */
  async createTasks(agentId: string, count: number): Promise<void> {
    const body = { tasks: Array(count).fill({ message: 'Do it' }) };
    expectStatus(await this.call('POST', `/agents/${agentId}/task-batches`, { body }), 201);
  }

  /** Leases the next task of an agent. */
  async lease(agentId: string, fields: Record<string, unknown> = {}): Promise<Lease> {
    const { leases } = expectStatus<{ leases: Lease[] }>(await this.requestLease(agentId, fields), 201);
    return leases[0] as Lease;
  }

  /** By default for so long that none expires, with events of its own, while other tests run. */
  requestLease(agentId: string, fields: Record<string, unknown> = {}): Promise<HttpResponse> {
    const body = { worker_id: 'e2e', lease_seconds: LEASE_SECONDS, ...fields };
    return this.call('POST', `/agents/${agentId}/leases`, { body });
  }

  /** Creates a task and leases it; the agent must have no other task. */
  async createRunning(agentId: string, fields: Record<string, unknown> = {}, lease: Record<string, unknown> = {}) {
    await this.createTask(agentId, fields);
    return this.lease(agentId, lease);
  }

  /** Reports the result of a leased task; default `completed`. */
  report({ id, token }: Held, fields: Record<string, unknown> = {}): Promise<HttpResponse> {
    return this.call('PUT', `/leases/${id}/result`, { body: { token, status: 'completed', ...fields } });
  }

  heartbeat({ id, token }: Held, fields: Record<string, unknown> = {}): Promise<HttpResponse> {
    return this.call('PUT', `/leases/${id}/heartbeat`, { body: { token, ...fields } });
  }

  release({ id, token }: Held): Promise<HttpResponse> {
    return this.call('DELETE', `/leases/${id}`, { headers: { 'x-lease-token': token } });
  }

  async readAgent(agentId: string): Promise<Agent> {
    return (await this.get(`/agents/${agentId}`)).json as Agent;
  }

  async readTask(task: TaskKey): Promise<Task> {
    return (await this.get(pathOf(task))).json as Task;
  }

  /** Requests the cancellation of a task. */
  cancel(task: TaskKey, body?: unknown): Promise<HttpResponse> {
    return this.call('PUT', `${pathOf(task)}/cancellation`, { body });
  }

  async readAttempts(task: TaskKey): Promise<Attempt[]> {
    return (await this.get(`${pathOf(task)}/attempts`)).json as Attempt[];
  }

  /** Opens an event stream with the API key. */
  stream(path: string, headers: Record<string, string> = {}): Promise<EventStream> {
    return EventStream.open(this.baseUrl + path, { 'x-api-key': this.apiKey, ...headers });
  }

  async close(): Promise<void> {
    // A fleet of this file is deleted with all its data.
    if (!this.#fleet) {
      for (const id of this.#made) await this.call('DELETE', `/agents/${id}`);
      await this.accounts.remove();
    }
    this.#http?.close();
    await this.#fleet?.close();
  }
}
