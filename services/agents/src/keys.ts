/**
 * Every Redis key of this service. Keys of one agent share the hash tag `{<agent id>}`: one script can change them
 * atomically, and Redis Cluster can spread agents over nodes. Keys of the fleet share `{fleet}`; they are a projection
 * of the agents' events (fleet/fleet.ts). README.md lists the type, lifetime and content of each key.
 */
export function createKeys(prefix: string) {
  const fleet = `${prefix}:{fleet}`;
  const of = (agentId: string, name: string) => `${prefix}:{${agentId}}:${name}`;
  return {
    agent: (agentId: string) => of(agentId, 'agent'),
    agentSeq: (agentId: string) => of(agentId, 'seq'),
    agentEvents: (agentId: string) => of(agentId, 'events'),
    task: (agentId: string, taskId: string) => of(agentId, `task:${taskId}`),
    taskState: (agentId: string, taskId: string) => of(agentId, `state:${taskId}`),
    attempts: (agentId: string, taskId: string) => of(agentId, `attempts:${taskId}`),
    tasks: (agentId: string, status?: string) => of(agentId, status ? `tasks:${encodePart(status)}` : 'tasks'),
    ended: (agentId: string) => of(agentId, 'ended'),
    /** BullMQ's `prefix` of an agent's queue; the queue's name is `queue`. */
    queuePrefix: (agentId: string) => `${prefix}:{${agentId}}`,
    /** The index of agents, optionally by status and type. */
    agents: ({ status, type }: { status?: string; type?: string } = {}) =>
      `${fleet}:agents${part('type', type)}${part('status', status)}`,
    /** The index of the fleet's tasks. Use `agent` only with `tag`: other lists of an agent's tasks have own keys. */
    fleetTasks: ({ status, type, agent, tag }: { status?: string; type?: string; agent?: string; tag?: string }) =>
      `${fleet}:tasks${part('type', type)}${part('agent', agent)}${part('tag', tag)}${part('status', status)}`,
    idempotency: (digest: string) => of(digest, 'idempotency'),
    // The names in Redis of the index entries and of `lastWakeups` are older than these terms; stored data has them.
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
    /** Prefix of the fleet's own BullMQ queues. */
    queues: fleet,
  };
}

export type Keys = ReturnType<typeof createKeys>;

/** Encodes the value, so that no filter can name another index; existing statuses and types stay the same. */
function part(name: string, value: string | undefined): string {
  return value ? `:${name}:${encodePart(value)}` : '';
}

/** Encodes a text for the name of an index: the result has no blanks and no colons. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
