/**
 * Every Redis key of this service. Keys of one agent share the hash tag `{<agent id>}`: one script can change them
 * atomically, and Redis Cluster can spread agents over nodes. Keys of the fleet share `{fleet}`; they are a projection
 * of the agents' events (fleet/fleet.ts).
 * README.md lists what each key holds and how long it lives.
 */
export interface Keys {
  agent(agentId: string): string;
  agentSeq(agentId: string): string;
  agentEvents(agentId: string): string;
  task(agentId: string, taskId: string): string;
  taskState(agentId: string, taskId: string): string;
  attempts(agentId: string, taskId: string): string;
  tasks(agentId: string, status?: string): string;
  ended(agentId: string): string;
  /** BullMQ's `prefix` of an agent's queue; the queue's name is `queue`. */
  queuePrefix(agentId: string): string;
  /** The index of agents, optionally by status and type. */
  agents(filter?: { status?: string; type?: string }): string;
  /**
   * The index of the fleet's tasks. Use `agent` only with `tag`: other lists of an agent's tasks are under its own
   * keys.
   */
  fleetTasks(filter: { status?: string; type?: string; agent?: string; tag?: string }): string;
  idempotency(digest: string): string;
  agentIndexEntries: string;
  tombstones: string;
  taskIndexEntries: string;
  timers: string;
  ready: string;
  lastWakeups: string;
  wakeups: string;
  fleetEvents: string;
  fleetSeq: string;
  outbox: string;
  /** Prefix of the fleet's own BullMQ queues. */
  queues: string;
}

export function createKeys(prefix: string): Keys {
  const fleet = `${prefix}:{fleet}`;
  const of = (agentId: string, name: string) => `${prefix}:{${agentId}}:${name}`;
  return {
    agent: (agentId) => of(agentId, 'agent'),
    agentSeq: (agentId) => of(agentId, 'seq'),
    agentEvents: (agentId) => of(agentId, 'events'),
    task: (agentId, taskId) => of(agentId, `task:${taskId}`),
    taskState: (agentId, taskId) => of(agentId, `state:${taskId}`),
    attempts: (agentId, taskId) => of(agentId, `attempts:${taskId}`),
    tasks: (agentId, status) => of(agentId, status ? `tasks:${encodePart(status)}` : 'tasks'),
    ended: (agentId) => of(agentId, 'ended'),
    queuePrefix: (agentId) => `${prefix}:{${agentId}}`,
    agents: ({ status, type } = {}) => `${fleet}:agents${part('type', type)}${part('status', status)}`,
    fleetTasks: ({ status, type, agent, tag }) =>
      `${fleet}:tasks${part('type', type)}${part('agent', agent)}${part('tag', tag)}${part('status', status)}`,
    idempotency: (digest) => of(digest, 'idempotency'),
    agentIndexEntries: `${fleet}:agent-places`,
    tombstones: `${fleet}:removed`,
    taskIndexEntries: `${fleet}:task-places`,
    timers: `${fleet}:timers`,
    ready: `${fleet}:ready`,
    lastWakeups: `${fleet}:rings`,
    wakeups: `${fleet}:wake`,
    fleetEvents: `${fleet}:events`,
    fleetSeq: `${fleet}:seq`,
    outbox: `${fleet}:outbox`,
    queues: fleet,
  };
}

/** Encodes the value, so that no filter can name another index; existing statuses and types stay the same. */
function part(name: string, value: string | undefined): string {
  return value ? `:${name}:${encodePart(value)}` : '';
}

/** Encodes a text for the name of an index: the result has no blanks and no colons. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
