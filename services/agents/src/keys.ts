/**
 * Every Redis key of this service. What belongs to one agent shares the hash tag `{<agent id>}`, so that one script can change it
 * together and Redis Cluster can spread agents; what belongs to the fleet shares `{fleet}`.
 *
 * | key | type | holds | lives |
 * |---|---|---|---|
 * | `{id}:agent` | string | the agent as the JSON that is served | as long as the agent |
 * | `{id}:version` | string | how often the agent has changed, absent before the first change | one hour longer |
 * | `{id}:task:<task id>` | string | the task as the JSON that is served | as long as the agent |
 * | `{id}:tasks`, `{id}:tasks:<status>` | zset | task ids, all at score 0: UUIDv7 sorts by creation | as long as the agent |
 * | `{fleet}:agents`, `…:status:<s>`, `…:type:<t>`, `…:status:<s>:type:<t>` | zset | agent ids, all at score 0 | for ever |
 * | `{fleet}:placements` | hash | agent id → `version status type` under which it stands in those, or `removed` | entry: the agent, and one hour |
 * | `{fleet}:removed` | zset | agent id → when it was removed, in ms | entry: one hour |
 * | `{fleet}:outbox` | zset | agent ids whose change may not have reached those, by time in ms | entry: seconds |
 * | `{fleet}:sweep…` | BullMQ | the job scheduler of the sweep | for ever |
 */
export interface Keys {
  agent(agentId: string): string;
  agentVersion(agentId: string): string;
  task(agentId: string, taskId: string): string;
  tasks(agentId: string, status?: string): string;
  /** The index of agents with a status and a type, each optional. */
  agents(filter?: { status?: string; type?: string }): string;
  placements: string;
  removed: string;
  outbox: string;
  /** Prefix of this service's BullMQ queues. */
  queues: string;
}

export function createKeys(prefix: string): Keys {
  const fleet = `${prefix}:{fleet}`;
  const of = (agentId: string, name: string) => `${prefix}:{${agentId}}:${name}`;
  return {
    agent: (agentId) => of(agentId, 'agent'),
    agentVersion: (agentId) => of(agentId, 'version'),
    task: (agentId, taskId) => of(agentId, `task:${taskId}`),
    tasks: (agentId, status) => of(agentId, status ? `tasks:${status}` : 'tasks'),
    // Encoded, so that no filter can be spelt like another index; the statuses and types there are stay as they are.
    agents: ({ status, type } = {}) =>
      `${fleet}:agents${status ? `:status:${encodeURIComponent(status)}` : ''}${type ? `:type:${encodeURIComponent(type)}` : ''}`,
    placements: `${fleet}:placements`,
    removed: `${fleet}:removed`,
    outbox: `${fleet}:outbox`,
    queues: fleet,
  };
}
