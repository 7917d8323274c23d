import type { Conversation } from '../../src/tasks/rules/conversation.ts';
import type { Dependency } from '../../src/tasks/rules/task-state.ts';
import type { Snapshot } from './snapshot.ts';

const AGENT_STATUSES = ['idle', 'active', 'waiting', 'error', 'offline'] as const;
export const TASK_STATUSES = ['pending', 'running', 'input_required', 'completed', 'failed', 'cancelled'] as const;

interface AgentRecord {
  id: string;
  name: string;
  type: string;
  status: string;
  created_at: string;
}

interface StoredAgent {
  record: AgentRecord;
  type: string;
  /** Number of its last event. */
  events: number;
  arrivals: number;
  /** Its type, and earlier types, which some of its tasks have. */
  types: string[];
  isPaused: boolean;
  /** How many of its tasks may be leased at once. */
  max: number;
}

interface TaskRecord {
  id: string;
  after?: string[] | null;
  agent_id: string;
  status: string;
  priority: number;
  attempt: number;
  max_attempts: number;
  tags: string[] | null;
  worker_id: string | null;
  continue_of: string | null;
  agent_version?: number | null;
  concurrency_key?: string | null;
  /** Absent in older ones. */
  continued_by?: string[];
  scheduled_at: string | null;
  next_attempt_at: string | null;
  expires_at: string;
  started_at: string | null;
  completed_at: string | null;
  cancel_requested_at: string | null;
  usage: { input_tokens: number; output_tokens: number } | null;
  cost: { amount: number } | null;
}

interface State {
  needs?: string[];
  version: number;
  leases: number;
  lease: {
    number: number;
    token: string;
    workerId: string;
    startedAt: number;
    expiresAt: number;
    deadline: number;
    pausedAt?: number;
  } | null;
  reported: object | null;
  /** The principal whose quota counts it. */
  owner?: string;
  /** What it comes after. */
  after?: Dependency[];
  /** For the last worker of the task that it continues. */
  reservation?: { workerId: string; until: number };
  /** The last time that its provider took no calls. */
  parked?: { lease: number };
  /** What people and its worker say. */
  conversation?: Conversation;
}

export interface StoredTask {
  record: TaskRecord;
  /** Undefined for a task that has never changed. */
  state: State | undefined;
  /** Number of its last event. */
  event: number;
}

export interface Records {
  agents: Map<string, StoredAgent>;
  tasks: Map<string, StoredTask>;
}

/** Parses the records of a snapshot, and adds what is wrong with any of them by itself. */
export function parseRecords(snapshot: Snapshot, problems: string[]): Records {
  const agents = new Map<string, StoredAgent>();
  const tasks = new Map<string, StoredTask>();
  for (const [id, fields] of snapshot.agents) {
    const agent = parseAgent(fields);
    agents.set(id, agent);
    if (agent.record.id !== id) problems.push(`the record of agent ${id} is that of ${agent.record.id}`);
    if (agent.record.type !== agent.type) problems.push(`agent ${id} is a ${agent.record.type} and a ${agent.type}`);
    if ((fields.paused_at === undefined) !== (fields.paused_reason === undefined)) {
      problems.push(`agent ${id} is paused since ${fields.paused_at} because of ${fields.paused_reason}`);
    }
  }
  for (const [id, json] of snapshot.tasks) {
    const record = JSON.parse(json) as TaskRecord;
    const text = snapshot.states.get(id);
    if (!json.startsWith(`{"id":"${id}","agent_id":"${record.agent_id}",`)) {
      problems.push(`the record of task ${id} begins with ${json.slice(0, 100)}`);
    }
    const [, event, state] = /^(\d+) (.*)$/s.exec(text ?? '') ?? [];
    if (event === undefined || state === undefined) problems.push(`the state of task ${id} is ${text}`);
    else tasks.set(id, { record, event: Number(event), state: state === '' ? undefined : JSON.parse(state) });
  }
  for (const id of [...snapshot.states.keys(), ...snapshot.attempts.keys()]) {
    if (!snapshot.tasks.has(id)) problems.push(`task ${id} has left its state or attempts`);
  }
  for (const [id, task] of tasks) problems.push(...taskProblems(id, task, snapshot.attempts.get(id) ?? []));
  problems.push(...statusProblems(snapshot, { agents, tasks }));
  return { agents, tasks };
}

function parseAgent(fields: Record<string, string>): StoredAgent {
  const { head, status, tail, type = '', events, arrivals, was, paused_at, max_concurrency } = fields;
  const record = JSON.parse(`${head}${status}${tail}`) as AgentRecord;
  const earlier = was === undefined || was === '' ? [] : was.split(' ');
  const types = [type, ...earlier];
  return {
    record,
    type,
    events: Number(events),
    arrivals: Number(arrivals ?? 0),
    types,
    isPaused: paused_at !== undefined,
    max: Number(max_concurrency ?? Number.POSITIVE_INFINITY),
  };
}

export const isEnded = ({ record: { status } }: StoredTask) => /^(completed|failed|cancelled)$/.test(status);

function taskProblems(id: string, task: StoredTask, attempts: string[]): string[] {
  const { record, state } = task;
  const lease = state?.lease ?? null;
  const waits = record.status === 'input_required';
  const isHeld = record.status === 'running' || (waits && lease !== null);
  const counted = attempts
    .map((json) => JSON.parse(json) as { number: number; outcome: string })
    // A released, suspended or parked attempt does not count, unless it was the end of a task that was to be cancelled.
    .filter(({ outcome, number }, at) => {
      const goesOn = /^(released|suspended|parked)$/.test(outcome);
      return !goesOn || (isEnded(task) && at === attempts.length - 1 && number === record.attempt);
    });
  const numbers = counted.map(({ number }) => number);
  const ended = record.attempt - (isHeld ? 1 : 0);
  const rules: [unknown, unknown, string][] = [
    [(TASK_STATUSES as readonly string[]).includes(record.status), true, 'has a known status'],
    [lease !== null, isHeld, 'runs and holds a lease'],
    [lease?.pausedAt !== undefined, waits && isHeld, 'stops the clock of its attempt while it waits'],
    [record.completed_at !== null, isEnded(task), 'has ended and a time of its end'],
    [record.worker_id !== null || !isHeld, true, 'runs by a worker'],
    [lease ? lease.workerId : record.worker_id, record.worker_id, 'is leased to its worker'],
    [lease ? lease.number : state?.leases, state?.leases, 'holds its last lease'],
    [(state?.leases ?? 0) >= record.attempt, true, 'has had a lease for each attempt'],
    [record.attempt <= record.max_attempts, true, 'has not had more attempts than allowed'],
    [numbers.join(), Array.from({ length: ended }, (_, at) => at + 1).join(), 'has its ended attempts'],
  ];
  return rules
    .filter(([found, expected]) => found !== expected)
    .map(([found, expected, rule]) => `task ${id}, ${record.status}: not that it ${rule} (${found}, not ${expected})`);
}

/** An agent is active while one of its tasks runs, else it waits while one of them does. */
function statusProblems(snapshot: Snapshot, { agents, tasks }: Records): string[] {
  const [active, waiting] = [new Set<string>(), new Set<string>()];
  const problems: string[] = [];
  for (const [id, { record }] of tasks) {
    const { agent_id } = record;
    if (record.status === 'running') active.add(agent_id);
    if (record.status === 'input_required') waiting.add(agent_id);
    if (!agents.has(agent_id) && !snapshot.purges.has(agent_id)) problems.push(`task ${id} has no agent ${agent_id}`);
  }
  for (const [id, { record }] of agents) {
    const isKnown = (AGENT_STATUSES as readonly string[]).includes(record.status);
    const status = active.has(id) ? 'active' : waiting.has(id) ? 'waiting' : undefined;
    const works = record.status === 'active' || record.status === 'waiting';
    if (!isKnown || (works ? record.status : undefined) !== status)
      problems.push(`agent ${id} is ${record.status}, and should be ${status ?? 'at rest'} by its tasks`);
    if (snapshot.purges.has(id)) problems.push(`agent ${id} exists, and its tasks are removed`);
  }
  return problems;
}
