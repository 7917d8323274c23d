/**
 * Every Redis key of this service. What belongs to one agent shares the hash tag `{<agent id>}`, so that one script can change it
 * together and Redis Cluster can spread agents; what belongs to the fleet shares `{fleet}` and follows the agents (fleet/fleet.ts).
 *
 * | key | type | holds | lives |
 * |---|---|---|---|
 * | `{id}:agent` | string | the agent as the JSON that is served | as long as the agent |
 * | `{id}:events`, `{id}:seq` | stream, string | the agent's events, numbered 1, 2, 3 …; the last number | as long as the agent |
 * | `{id}:task:<task id>` | string | the task as the JSON that is served | as long as the task |
 * | `{id}:state:<task id>` | string | what of it is not served (`TaskState`), absent before the first change | as long as the task |
 * | `{id}:attempts:<task id>` | list | its ended attempts as JSON | as long as the task |
 * | `{id}:tasks`, `{id}:tasks:<status>` | zset | task ids, all at score 0: UUIDv7 sorts by creation | as long as the agent |
 * | `{id}:ended` | zset | ids of ended tasks by the time they ended, in ms | as long as the agent |
 * | `{id}:queue:…` | BullMQ | a job for each pending task | as long as the agent |
 * | `{fleet}:agents`, `…:type:<t>`, `…:status:<s>`, `…:type:<t>:status:<s>` | zset | agent ids, all at score 0 | for ever |
 * | `{fleet}:agent-places` | hash | agent id → `seq status type`: its last event here, where it stands in those; or `removed` | entry: the agent, and one hour |
 * | `{fleet}:removed` | zset | agent id → when it was removed, in ms | entry: one hour |
 * | `{fleet}:tasks` and the same with `:type:<t>`, `:tag:<t>`, `:status:<s>` in this order | zset | `task id agent id`, all at score 0 | for ever |
 * | `{fleet}:tasks:agent:<id>:tag:<t>` and the same with `:status:<s>` | zset | task ids, all at score 0 | as long as the agent |
 * | `{fleet}:task-places` | hash | task id → `status type tag tag …`: where it stands in those | entry: the task |
 * | `{fleet}:timers` | zset | `agent id task id` by when something is due for it, in ms | entry: the task |
 * | `{fleet}:ready:<type>` | zset | agents with work, by whose turn it is: who was served longest ago first | entry: while there is work |
 * | `{fleet}:rings` | hash | agent id → the entry of `{fleet}:wake` with which work came to it last | entry: while there is work |
 * | `{fleet}:wake` | stream | for waiting workers: which agent has work now | 1,000 entries |
 * | `{fleet}:events`, `{fleet}:seq` | stream, string | the events of all agents, numbered; the last number | 100,000 events |
 * | `{fleet}:outbox` | zset | `agent id change` of changes that may not have reached the fleet's keys, by time in ms | entry: seconds |
 * | `{fleet}:sweep…` | BullMQ | the job scheduler of the sweep | for ever |
 * | `{<digest>}:idempotency` | string | the answer to a request with an `Idempotency-Key` | 24 hours |
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
  /** BullMQ's `prefix` for an agent's queue, whose name is `queue`. */
  queuePrefix(agentId: string): string;
  /** The index of agents with a status and a type, each optional. */
  agents(filter?: { status?: string; type?: string }): string;
  /** The index of the fleet's tasks; `agent` only with `tag`, as an agent's own tasks are under its own keys. */
  fleetTasks(filter: { status?: string; type?: string; agent?: string; tag?: string }): string;
  idempotency(digest: string): string;
  agentPlaces: string;
  removed: string;
  taskPlaces: string;
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
    agentPlaces: `${fleet}:agent-places`,
    removed: `${fleet}:removed`,
    taskPlaces: `${fleet}:task-places`,
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

/** Encoded, so that no filter can be spelt like another index; the statuses and types there are stay as they are. */
function part(name: string, value: string | undefined): string {
  return value ? `:${name}:${encodePart(value)}` : '';
}

/** A text as it stands in the name of an index: without blanks and colons. */
export function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
