import { encodePart } from '../contract/ids.ts';

/** Names an index of tasks. At most one of agent, type and worker is set. */
export interface TaskIndex {
  agent?: string;
  type?: string;
  worker?: string;
  tag?: string;
  status?: string;
}

/** Names an index of input requests. */
export interface RequestIndex {
  agent?: string;
  type?: string | undefined;
  kind?: string | undefined;
  state: string;
}

/** Names an index of agents. */
export interface AgentIndex {
  type?: string;
  status?: string;
  paused?: boolean;
}

/**
 * Every Redis key of a fleet. All share the hash tag `{<fleet>}`, so that one script changes them atomically, also in a
 * Redis Cluster. The scripts get the prefix and name the same keys (includes). README.md lists the type,
 * lifetime and content of each key.
 */
export function createKeys(redisPrefix: string, fleet = 'default') {
  const hashTag = `${redisPrefix}:{${fleet}}`;
  const prefix = `${hashTag}:`;
  return {
    prefix,
    /** Prefix of the BullMQ queues. */
    queues: hashTag,
    layout: `${prefix}layout`,
    /** Written before a wait for replicas. */
    replicated: `${prefix}replicated`,
    agent: (agentId: string) => `${prefix}agent:${agentId}`,
    /** The index of agents, optionally by type and status, and only the paused ones. */
    agents: ({ type, status, paused }: AgentIndex = {}) =>
      `${prefix}agents${part('type', type)}${part('status', status)}${paused ? ':paused' : ''}`,
    task: (taskId: string) => `${prefix}task:${taskId}`,
    state: (taskId: string) => `${prefix}state:${taskId}`,
    attempts: (taskId: string) => `${prefix}attempts:${taskId}`,
    /** The index of tasks, optionally of an agent, a type or a worker, and by tag (not of a worker) and status. */
    tasks: ({ agent, type, worker, tag, status }: TaskIndex = {}) => {
      const scope = `${part('agent', agent)}${part('type', type)}${part('worker', worker)}`;
      return `${prefix}tasks${scope}${part('tag', tag)}${part('status', status)}`;
    },
    /** What a task asks, what is said to it, and what its next attempt goes on with. */
    requests: (taskId: string) => `${prefix}requests:${taskId}`,
    messages: (taskId: string) => `${prefix}messages:${taskId}`,
    suspension: (taskId: string) => `${prefix}suspension:${taskId}`,
    /** The tasks that wait for a person without a worker. */
    suspended: `${prefix}suspended`,
    /** The index of input requests in a state, optionally of an agent, a type and a kind. */
    inputRequests: ({ agent, type, kind, state }: RequestIndex) =>
      `${prefix}input-requests${part('agent', agent)}${part('type', type)}${part('kind', kind)}${part('state', state)}`,
    ...createEdgeKeys(prefix),
    /** The channel of the live text of a task. */
    deltas: (taskId: string) => `${prefix}deltas:${taskId}`,
    /** The versions of the definition of an agent. */
    definitions: (agentId: string) => `${prefix}definitions:${agentId}`,
    ended: (agentId: string) => `${prefix}ended:${agentId}`,
    ...createQueueKeys(prefix),
    timers: `${prefix}timers`,
    /** The events of an agent, or of the fleet. */
    events: (agentId?: string) => (agentId ? `${prefix}events:${agentId}` : `${prefix}events`),
    /** The number of the fleet's last event. */
    event: `${prefix}event`,
    wakeups: `${prefix}wake`,
    purges: `${prefix}purges`,
    /** The log of a task, or the notices of new entries. */
    logs: (taskId?: string) => (taskId ? `${prefix}logs:${taskId}` : `${prefix}logs`),
    /** The counters of an hour, counted from 1970: of the fleet, a type or an agent. */
    series: (hour: number | string, { type, agent }: { type?: string; agent?: string } = {}) =>
      `${prefix}series${part('type', type)}${part('agent', agent)}:${hour}`,
    /** What was seen of a worker. */
    worker: (workerId: string) => `${prefix}worker:${encodePart(workerId)}`,
    /** Workers by the time when they were last seen. */
    workers: `${prefix}workers`,
    /** What workers have offered by the time when they last requested tasks of a type or an agent. */
    polls: ({ type, agent }: { type?: string; agent?: string }) =>
      `${prefix}polls${part('type', type)}${part('agent', agent)}`,
    bulkAction: (id: string) => `${prefix}bulk:${id}`,
    /** The bulk actions that have not ended. */
    bulkActions: `${prefix}bulks`,
    usage: `${prefix}usage`,
    /** The budget of a scope, and scopes by the end of their period in ms. */
    budget: (scope: string) => `${prefix}budget:${scope}`,
    budgets: `${prefix}budgets`,
    /** The budgets that are used up. */
    budgetsReached: `${prefix}budgets-reached`,
    /** Entries on their way to the audit trail. */
    auditOutbox: `${prefix}audit-outbox`,
    ...createSpendKeys(prefix),
    idempotency: (digest: string) => `${prefix}idempotency:${digest}`,
  };
}

/** What tasks wait for, and what is created in steps. */
function createEdgeKeys(prefix: string) {
  return {
    /** The tasks that name a task in `after`, and those of them that wait for it. */
    dependents: (taskId: string) => `${prefix}dependents:${taskId}`,
    waiters: (taskId: string) => `${prefix}waiters:${taskId}`,
    /** How tasks have ended whose waiters do not all know it. */
    handovers: `${prefix}handovers`,
    /** The tasks of a batch that are still to be created. */
    batch: (id: string) => `${prefix}batch:${id}`,
    /** The batches that are to be created. */
    batches: `${prefix}batches`,
  };
}

/** What decides which tasks are leased next. */
function createQueueKeys(prefix: string) {
  return {
    /**
     * With `:<needs>` at its end, as `reserved` and `ready`, the queue of tasks that need something of their worker.
     */
    queue: (agentId: string) => `${prefix}queue:${agentId}`,
    /** The tasks that are queued for one worker. */
    reserved: (workerId: string) => `${prefix}reserved:${encodePart(workerId)}`,
    /** How many tasks of an agent are reserved, by worker. */
    reservations: (agentId: string) => `${prefix}reservations:${agentId}`,
    ready: (type: string) => `${prefix}ready:${type}`,
    /** The needs for which there are queues. */
    queueNeeds: (agentId: string) => `${prefix}queue-needs:${agentId}`,
    reservedNeeds: (worker: string) => `${prefix}reserved-needs:${worker}`,
    readyNeeds: (type: string) => `${prefix}ready-needs:${type}`,
    /** The tasks of an agent that are leased. */
    leased: (agentId: string) => `${prefix}leased:${agentId}`,
    /** The tasks of an agent with a concurrency key that are ready. */
    lanes: (agentId: string) => `${prefix}lanes:${agentId}`,
    laneTasks: (agentId: string) => `${prefix}lane-tasks:${agentId}`,
    /** How many tasks of a type have each set of labels. */
    labelSets: (type: string) => `${prefix}label-sets:${type}`,
    /** How many tasks name each version of an agent's definition. */
    definitionUses: (agentId: string) => `${prefix}definition-uses:${agentId}`,
  };
}

export type Keys = ReturnType<typeof createKeys>;

function createSpendKeys(prefix: string) {
  return {
    /** What ended attempts have used: of the fleet, or of an agent. */
    spend: (agentId?: string) => `${prefix}spend${part('agent', agentId)}`,
    /** The same over time, of a day by quarters of an hour, or of 32 days by days, which are counted from 1970. */
    spendBy: (
      grain: 'quarters' | 'days',
      number: number,
      { dimension, agent }: { dimension?: string; agent?: string | undefined } = {},
    ) => `${prefix}spend-by${dimension ? `:${dimension}` : part('agent', agent)}:${grain}:${number}`,
    /** Agents by what their attempts have cost. */
    spenders: `${prefix}spend:agents`,
  };
}

/** Encodes the value, so that no filter can name another index; statuses and types stay the same. */
function part(name: string, value: string | undefined): string {
  return value ? `:${name}:${encodePart(value)}` : '';
}
