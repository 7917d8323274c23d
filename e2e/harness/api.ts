import { EventStream } from './event-stream.ts';
import type { Answer, CallOptions } from './http-client.ts';
import type { LocalFleet, LocalFleetOptions } from './local-fleet.ts';
import { openSystem, type System } from './system.ts';

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

/** The API of the system under test: what tests call. Agents made here are deleted at the end. */
export class Api {
  #system: System | undefined;
  readonly #made = new Set<string>();
  /** The agent types that the system allows. */
  types: string[] = [];

  async open(options?: LocalFleetOptions): Promise<void> {
    this.#system = await openSystem(options);
    const { json } = await this.call('GET', '/openapi.json', { as: 'nobody' });
    this.types = readAgentTypes(json as OpenApi);
  }

  get system(): System {
    if (!this.#system) throw new Error('The system under test is not open');
    return this.#system;
  }

  /** @throws where the processes of the system are not this test's own */
  get fleet(): LocalFleet {
    const { fleet } = this.system;
    if (!fleet) throw new Error('There are no hands on the system under test');
    return fleet;
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return this.system.http.call(method, path, options);
  }

  get(path: string, headers: CallOptions['headers'] = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  async createAgent(fields: Partial<Agent> = {}): Promise<Agent> {
    const body = { name: 'An agent', type: this.types[0], ...fields };
    const agent = created(await this.call('POST', '/agents', { body })) as Agent;
    this.#made.add(agent.id);
    return agent;
  }

  createAgents(count: number, fields?: Partial<Agent>): Promise<Agent[]> {
    return Promise.all(Array.from({ length: count }, () => this.createAgent(fields)));
  }

  async createTask(agentId: string, fields: Record<string, unknown> = {}): Promise<Task> {
    return created(
      await this.call('POST', `/agents/${agentId}/tasks`, { body: { message: 'Do it', ...fields } }),
    ) as Task;
  }

  /** Takes the next task of an agent. */
  async lease(agentId: string, fields: Record<string, unknown> = {}): Promise<Lease> {
    const body = { worker_id: 'e2e', ...fields };
    const { leases } = created(await this.call('POST', `/agents/${agentId}/leases`, { body })) as { leases: Lease[] };
    return leases[0] as Lease;
  }

  /** A new task that is leased at once, so the agent must have no other. */
  async createRunning(agentId: string, fields: Record<string, unknown> = {}, lease: Record<string, unknown> = {}) {
    await this.createTask(agentId, fields);
    return this.lease(agentId, lease);
  }

  /** Reports what came of a leased task; `completed` unless said otherwise. */
  report({ id, token }: Pick<Lease, 'id' | 'token'>, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('PUT', `/leases/${id}/result`, { body: { token, status: 'completed', ...fields } });
  }

  heartbeat({ id, token }: Pick<Lease, 'id' | 'token'>, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('PUT', `/leases/${id}/heartbeat`, { body: { token, ...fields } });
  }

  release({ id, token }: Pick<Lease, 'id' | 'token'>): Promise<Answer> {
    return this.call('DELETE', `/leases/${id}`, { headers: { 'x-lease-token': token } });
  }

  async readAgent(agentId: string): Promise<Agent> {
    return (await this.get(`/agents/${agentId}`)).json as Agent;
  }

  async readTask({ agent_id, id }: Pick<Task, 'agent_id' | 'id'>): Promise<Task> {
    return (await this.get(`/agents/${agent_id}/tasks/${id}`)).json as Task;
  }

  /** Opens a stream of events, as the holder of the API key. */
  stream(path: string, headers: CallOptions['headers'] = {}): Promise<EventStream> {
    const { baseUrl, apiKey } = this.system;
    return EventStream.open(baseUrl, path, { 'x-api-key': apiKey, ...headers });
  }

  async close(): Promise<void> {
    const { system } = this;
    // A fleet of our own goes as a whole.
    if (!system.fleet) for (const id of this.#made) await this.call('DELETE', `/agents/${id}`);
    await system.close();
  }
}

function created({ status, text, json }: Answer): unknown {
  if (status !== 201) throw new Error(`Not created: ${status} ${text.slice(0, 500)}`);
  return json;
}

interface OpenApi {
  paths: Record<string, { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }>;
  components: { schemas: Record<string, { properties: { type: { enum: string[] } } }> };
}

function readAgentTypes({ paths, components }: OpenApi): string[] {
  const { $ref = '' } = paths['/agents']?.post.requestBody.content['application/json']?.schema ?? {};
  const types = components.schemas[$ref.split('/').at(-1) ?? '']?.properties.type.enum;
  if (!types) throw new Error('The document does not say which types an agent may have');
  return types;
}
