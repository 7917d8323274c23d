import type { OpenApiDocument } from '../contract/document.ts';
import { EventStream } from './event-stream.ts';
import { type Answer, type CallOptions, HttpClient } from './http-client.ts';
import { LocalFleet, type LocalFleetOptions } from './local-fleet.ts';
import { HAS_HANDS, SYSTEM } from './system.ts';

export interface Agent {
  id: string;
  name: string;
  type: string;
  status: string;
  created_at: string;
}

/** The part of a task that tests look into. */
export interface Task {
  id: string;
  agent_id: string;
  message: string;
  status: string;
  created_at: string;
  [field: string]: unknown;
}

/** A task as a worker holds it. */
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

/** The API of the system under test: what tests call. Agents made here are deleted at the end. */
export class Api {
  readonly admin = SYSTEM.admin;
  readonly apiKey = SYSTEM.apiKey;
  /** The agent types that the system allows. */
  types: string[] = [];
  #fleet: LocalFleet | undefined;
  #http: HttpClient | undefined;
  #token: Promise<string> | undefined;
  readonly #made = new Set<string>();

  /** Starts the fleet, or takes the running one that `E2E_BASE_URL` names. */
  async open(options?: LocalFleetOptions): Promise<void> {
    if (HAS_HANDS) this.#fleet = await LocalFleet.start(options);
    this.#http = new HttpClient(this.baseUrl, { apiKey: this.apiKey, token: () => this.token() });
    const { json } = await this.call('GET', '/openapi.json', { as: 'nobody' });
    this.types = (json as OpenApiDocument).components.schemas.AgentInput?.properties?.type?.enum ?? [];
  }

  get baseUrl(): string {
    return SYSTEM.baseUrl ?? this.fleet.baseUrl;
  }

  /** @throws unless the tests have started it */
  get fleet(): LocalFleet {
    if (!this.#fleet) throw new Error('There are no hands on the system under test');
    return this.#fleet;
  }

  /** An access token of the admin; requested once. */
  token(): Promise<string> {
    this.#token ??= this.signIn().then((answer) => expectStatus<{ access_token: string }>(answer, 200).access_token);
    return this.#token;
  }

  /** `POST /token` by the form of OAuth 2. */
  signIn(): Promise<Answer> {
    const { email: username, password } = this.admin;
    return this.call('POST', '/token', {
      as: 'nobody',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ grant_type: 'password', username, password })),
    });
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    if (!this.#http) throw new Error('The system under test is not open');
    return this.#http.call(method, path, options);
  }

  get(path: string, headers: CallOptions['headers'] = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  async createAgent(fields: Partial<Agent> = {}): Promise<Agent> {
    const body = { name: 'An agent', type: this.types[0], ...fields };
    const agent = expectStatus<Agent>(await this.call('POST', '/agents', { body }), 201);
    this.#made.add(agent.id);
    return agent;
  }

  createAgents(count: number, fields?: Partial<Agent>): Promise<Agent[]> {
    return Promise.all(Array.from({ length: count }, () => this.createAgent(fields)));
  }

  async createTask(agentId: string, fields: Record<string, unknown> = {}): Promise<Task> {
    const body = { message: 'Do it', ...fields };
    return expectStatus(await this.call('POST', `/agents/${agentId}/tasks`, { body }), 201);
  }

  /** At most 500, by one request. */
  async createTasks(agentId: string, count: number): Promise<void> {
    const body = { tasks: Array(count).fill({ message: 'Do it' }) };
    expectStatus(await this.call('POST', `/agents/${agentId}/task-batches`, { body }), 201);
  }

  /** Takes the next task of an agent. */
  async lease(agentId: string, fields: Record<string, unknown> = {}): Promise<Lease> {
    const { leases } = expectStatus<{ leases: Lease[] }>(await this.askLease(agentId, fields), 201);
    return leases[0] as Lease;
  }

  askLease(agentId: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('POST', `/agents/${agentId}/leases`, { body: { worker_id: 'e2e', ...fields } });
  }

  /** A new task that is leased at once, so the agent must have no other. */
  async createRunning(agentId: string, fields: Record<string, unknown> = {}, lease: Record<string, unknown> = {}) {
    await this.createTask(agentId, fields);
    return this.lease(agentId, lease);
  }

  /** Reports what came of a leased task; `completed` unless said otherwise. */
  report({ id, token }: Held, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('PUT', `/leases/${id}/result`, { body: { token, status: 'completed', ...fields } });
  }

  heartbeat({ id, token }: Held, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('PUT', `/leases/${id}/heartbeat`, { body: { token, ...fields } });
  }

  release({ id, token }: Held): Promise<Answer> {
    return this.call('DELETE', `/leases/${id}`, { headers: { 'x-lease-token': token } });
  }

  async readAgent(agentId: string): Promise<Agent> {
    return (await this.get(`/agents/${agentId}`)).json as Agent;
  }

  async readTask(task: TaskKey): Promise<Task> {
    return (await this.get(pathOf(task))).json as Task;
  }

  /** Requests the cancellation of a task. */
  cancel(task: TaskKey, body?: unknown): Promise<Answer> {
    return this.call('PUT', `${pathOf(task)}/cancellation`, { body });
  }

  async readAttempts(task: TaskKey): Promise<Attempt[]> {
    return (await this.get(`${pathOf(task)}/attempts`)).json as Attempt[];
  }

  /** Opens a stream of events, as the holder of the API key. */
  stream(path: string, headers: Record<string, string> = {}): Promise<EventStream> {
    return EventStream.open(this.baseUrl + path, { 'x-api-key': this.apiKey, ...headers });
  }

  async close(): Promise<void> {
    // A fleet of our own goes as a whole.
    if (!this.#fleet) for (const id of this.#made) await this.call('DELETE', `/agents/${id}`);
    this.#http?.close();
    await this.#fleet?.close();
  }
}

/** The body of a response with this status. */
function expectStatus<T>({ status, text, json }: Answer, expected: number): T {
  if (status !== expected) throw new Error(`Not ${expected}: ${status} ${text.slice(0, 500)}`);
  return json as T;
}
