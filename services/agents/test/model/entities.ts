import * as talks from './talk.ts';

/**
 * The contract of agents, tasks and leases in memory, as a sequence of steps. The service must agree with it. The model
 * is plain JSON, so that it can be copied when several orders are possible.
 */
export interface Model {
  agents: ModelAgent[];
  /** Tasks that were created with an `Idempotency-Key`. */
  keyed: Record<string, string>;
}

export interface ModelError {
  code: string;
  message: string;
  retryable: boolean;
}

/** The fields of a task that a client sets. */
export interface GivenTask {
  message: string;
  priority: number;
  max_attempts: number;
  tags: string[] | null;
  max_cost: { amount: number; currency: 'USD' } | null;
  continue_of: string | null;
  requires: string[] | null;
  concurrency_key: string | null;
  /** Whether a retry is delayed. */
  retryWaits: boolean;
  /** Whether it is scheduled for later. */
  scheduled: boolean;
}

/** What a client sets of a definition. */
export interface GivenDefinition {
  tags: string[];
  requires: string[];
  max_concurrency: number | null;
}

type ModelDefinition = GivenDefinition & { version: number };

export interface Report {
  status: 'completed' | 'failed' | 'cancelled';
  result?: unknown;
  error?: ModelError & { retry_at?: string };
  cost?: ModelCost;
}

/** With whole amounts, whose sums are exact. */
export interface ModelCost {
  amount: number;
  currency: 'USD';
  estimated: boolean;
}

export interface TaskRef {
  agentId: string;
  taskId: string;
}

/**
 * A deadline of a task: of its lease, its attempt, the task, its start, its reservation, its retention, its first open
 * request or its interruption.
 */
export interface Pass extends TaskRef {
  what: 'lease' | 'timeout' | 'expiry' | 'start' | 'reservation' | 'retention' | 'request' | 'interruption';
}

export const isEnded = ({ status }: ModelTask) => /^(completed|failed|cancelled)$/.test(status);

export const isReady = ({ status, waits }: ModelTask) => status === 'pending' && !waits;

/** What a task needs of its worker: labels have `=` before them. */
export const needsOf = ({ talk, given, definition }: ModelTask) =>
  [
    ...new Set([...(definition?.requires ?? []), ...(given.requires ?? [])].map((label) => `=${label}`)),
    ...(definition ? ['definitions'] : []),
    ...talks.needsOf(talk),
  ].sort();

/** Whether a worker may have the task, as far as its needs say. */
export const mayTake = (task: ModelTask, { accepts, labels }: Omit<Taker, 'worker'>) =>
  needsOf(task).every((need) => (need.startsWith('=') ? labels.includes(need.slice(1)) : accepts.includes(need)));

/** A reserved task is ready for one worker only. */
export const isReadyFor = (task: ModelTask, taker: Taker) =>
  isReady(task) && (!task.reserved || task.reservedFor === taker.worker) && mayTake(task, taker);

/** How many more tasks of an agent may be leased. */
export function freeSlots({ definition, tasks, paused }: ModelAgent): number {
  if (paused) return 0;
  const max = definition?.max_concurrency ?? null;
  return max === null ? 1_000 : Math.max(0, max - tasks.filter(({ lease }) => lease).length);
}

export const goesBefore = (one: ModelTask, other: ModelTask) =>
  one.given.priority < other.given.priority || (one.given.priority === other.given.priority && one.order < other.order);

/** Whether another task with the same concurrency key holds it, or goes before. */
export function isBehind({ tasks }: ModelAgent, task: ModelTask): boolean {
  const key = task.given.concurrency_key;
  if (key === null) return false;
  const lane = tasks.filter(({ id, given }) => id !== task.id && given.concurrency_key === key);
  if (task.holds) return false;
  return lane.some((other) => other.holds || (isReady(other) && goesBefore(other, task)));
}

export const tagsOf = ({ given, definition }: ModelTask) => {
  if (!definition?.tags.length) return given.tags;
  return [...new Set([...definition.tags, ...(given.tags ?? [])])];
};

export type ModelAgent = ReturnType<typeof createAgent>;

export function createAgent(id: string, name: string, type: string) {
  return {
    id,
    name,
    type,
    earlierTypes: [] as string[],
    status: 'idle',
    deleted: false,
    /** Why it is paused; undefined when it is not. */
    paused: undefined as { reason: string | null } | undefined,
    definition: null as ModelDefinition | null,
    lastVersion: 0,
    tasks: [] as ModelTask[],
    /** By the attempts that have ended. */
    spent: { attempts: 0, amount: 0 },
    events: [{ type: 'agent.created', status: 'idle' }] as {
      type: string;
      task_id?: string;
      status?: string;
      data?: unknown;
    }[],
  };
}

export type ModelTask = ReturnType<typeof newTask>;

export function newTask(
  id: string,
  given: GivenTask,
  { reservedFor, definition }: { reservedFor: string | null; definition: ModelDefinition | null },
  order: number,
) {
  return {
    id,
    given,
    /** The version that it names. */
    definition,
    /** Whether it keeps others with its concurrency key waiting. */
    holds: false,
    status: 'pending' as 'pending' | 'running' | 'input_required' | 'completed' | 'failed' | 'cancelled',
    attempt: 0,
    /** Leases so far, including released ones. */
    leases: 0,
    /** Which of its attempts do not count as such. */
    uncounted: [] as number[],
    lease: null as {
      number: number;
      token: string;
      overdue: 'lease' | 'timeout' | null;
      cost: ModelCost | null;
      accepts: readonly string[];
      hasBegun: boolean;
    } | null,
    talk: talks.newTalk(),
    reported: null as { number: number; token: string; report: string } | null,
    cancelRequest: null as { reason: string | null } | null,
    result: null as unknown,
    error: null as ModelError | null,
    progress: null as unknown,
    /** Of the attempts that have ended. */
    cost: null as ModelCost | null,
    worker: null as string | null,
    retries: false,
    /** Pending, until its provider takes calls again or since then. */
    parked: false,
    /** The last worker of the task that it continues, and whether its minute is not over. */
    reservedFor,
    reserved: reservedFor !== null,
    /** Pending, and its start is in the future. */
    waits: given.scheduled,
    /** A deadline has passed and is not applied yet. */
    due: null as 'expiry' | 'start' | 'retention' | null,
    /** The step in which it entered the queue. */
    order,
    /** Counts changes of the record. */
    version: 0,
    log: [] as string[],
    /** Ids of the tasks that continue it. */
    continuedBy: [] as string[],
    attempts: [] as {
      number: number;
      worker_id: string | null;
      outcome: string;
      error: ModelError | null;
      cost: ModelCost | null;
    }[],
  };
}

export interface Taker {
  worker: string;
  accepts: readonly string[];
  labels: readonly string[];
}

/** The cost of a task when its present attempt ends. */
export function costOf({ cost, lease }: ModelTask): ModelCost | null {
  const last = lease?.cost ?? null;
  if (!cost || !last) return cost ?? last;
  return { ...last, amount: cost.amount + last.amount, estimated: cost.estimated || last.estimated };
}

export function cancelled(reason: string | null): ModelError {
  return { code: 'cancelled', message: reason ?? 'Cancelled', retryable: false };
}

export function changed(agent: ModelAgent, task: ModelTask, type: string, data?: unknown): void {
  task.version += 1;
  addEvent(agent, task, type, data);
}

export function addEvent(agent: ModelAgent, task: ModelTask, type: string, data?: unknown): void {
  agent.events.push({ type, task_id: task.id, status: task.status, ...(data ? { data } : {}) });
}

export const isWorkedOn = ({ status }: ModelTask) => status === 'running' || status === 'input_required';

/** Sets the agent's status after a task has started or stopped running. */
export function updateAgentStatus(agent: ModelAgent, rest: string): void {
  const has = (wanted: string) => agent.tasks.some((task) => task.status === wanted);
  const status = has('running') ? 'active' : has('input_required') ? 'waiting' : rest;
  if (status === agent.status) return;
  agent.status = status;
  agent.events.push({ type: 'agent.status', status });
}
