/**
 * Every Redis key of this service. Keys of one agent share the hash tag `{<agent id>}`: one script can change them atomically, and Redis
 * Cluster can spread agents over nodes. Keys of the fleet share `{fleet}`; they are a projection of the agents' events (fleet/fleet.ts).
 *
 * | key | type | holds | lifetime |
 * |---|---|---|---|
 * | `{id}:agent` | string | the agent as the JSON that is served | as long as the agent |
 * | `{id}:events`, `{id}:seq` | stream, string | the agent's events, numbered 1, 2, 3 …; the last number | as long as the agent |
 * | `{id}:task:<task id>` | string | the task as the JSON that is served | as long as the task |
 * | `{id}:state:<task id>` | string | the task's internal state (`TaskState`), absent before the first change | as long as the task |
 * | `{id}:attempts:<task id>` | list | its ended attempts as JSON | as long as the task |
 * | `{id}:tasks`, `{id}:tasks:<status>` | zset | task ids, all at score 0: UUIDv7 sorts by creation | as long as the agent |
 * | `{id}:ended` | zset | ids of ended tasks by their end in ms | as long as the agent |
 * | `{id}:queue:…` | BullMQ | a job for each pending task | as long as the agent |
 * | `{fleet}:agents`, `…:type:<t>`, `…:status:<s>`, `…:type:<t>:status:<s>` | zset | agent ids, all at score 0 | unlimited |
 * | `{fleet}:agent-places` | hash | agent id → index entry: `seq status type` (`seq`: last applied event), or `removed` | entry: the agent, then one hour |
 * | `{fleet}:removed` | zset | tombstones: agent id → when it was deleted, in ms | entry: one hour |
 * | `{fleet}:tasks` and the same with `:type:<t>`, `:tag:<t>`, `:status:<s>` in this order | zset | `task id agent id`, all at score 0 | unlimited |
 * | `{fleet}:tasks:agent:<id>:tag:<t>` and the same with `:status:<s>` | zset | task ids, all at score 0 | as long as the agent |
 * | `{fleet}:task-places` | hash | task id → index entry: `status type tag tag …` | entry: the task |
 * | `{fleet}:timers` | zset | `agent id task id` by its next deadline in ms | entry: the task |
 * | `{fleet}:ready:<type>` | zset | agents with work by the time they were last picked (round robin) | entry: while there is work |
 * | `{fleet}:rings` | hash | last wakeups: agent id → id of its last entry in `{fleet}:wake` | entry: while there is work |
 * | `{fleet}:wake` | stream | wakeups of waiting workers: which agent has new work | 1,000 entries |
 * | `{fleet}:events`, `{fleet}:seq` | stream, string | the events of all agents, numbered; the last number | 100,000 events |
 * | `{fleet}:outbox` | zset | `agent id change id` of changes that are not complete, by their start in ms | entry: seconds |
 * | `{fleet}:sweep…` | BullMQ | the job scheduler of the sweep | unlimited |
 * | `{<digest>}:idempotency` | string | the response to a request with an `Idempotency-Key` | 24 hours |
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
  /** The index of the fleet's tasks. Use `agent` only with `tag`: other lists of an agent's tasks are under its own keys. */
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
