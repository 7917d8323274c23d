import type { Keys } from '../../src/redis/keys.ts';
import { INTERRUPTION_MS } from '../../src/tasks/rules/conversation-rules.ts';
import { needsOf } from '../../src/tasks/rules/needs.ts';
import { requestIndexes } from './conversations.ts';
import { queuesOf } from './needs.ts';
import {
  expiryOf,
  isTimerOf,
  pendingDeadline,
  placeOf,
  queueOf,
  reservationProblems,
  reservedSetOf,
  withNeeds,
} from './places.ts';
import { isEnded, type Records, type StoredTask } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** Of the scores of the queue: priority * 1e14 + arrival. */
const PRIORITY_STEP = 1e14;

export interface Setting {
  keys: Keys;
  /** `TASK_RETENTION_SECONDS` of the service. */
  retentionMs: number;
}

type Index = Map<string, number | undefined>;

/** Compares every sorted set with what the records demand. */
export function indexProblems(snapshot: Snapshot, records: Records, setting: Setting): string[] {
  const { keys } = setting;
  const expected = expectIndexes(snapshot, records, keys);
  const problems: string[] = [];
  for (const key of new Set([...expected.keys(), ...snapshot.sorted.keys()])) {
    if (key === keys.timers) continue;
    const members = expected.get(key) ?? new Map();
    const found = snapshot.sorted.get(key) ?? new Map();
    for (const [id, score] of members) {
      if (!found.has(id)) problems.push(`${id} is missing in ${key}`);
      else if (score !== undefined && found.get(id) !== score)
        problems.push(`${id} in ${key} has ${found.get(id)}, not ${score}`);
    }
    for (const id of found.keys()) if (!members.has(id)) problems.push(`${id} is in ${key}`);
  }
  return [
    ...problems,
    ...queueProblems(snapshot, records, keys),
    ...reservationProblems(snapshot, records, keys),
    ...timerProblems(snapshot, records, setting),
  ];
}

function expectIndexes(snapshot: Snapshot, { agents, tasks }: Records, keys: Keys): Map<string, Index> {
  const expected = new Map<string, Index>();
  const add = (key: string, id: string, score?: number) => {
    const index = expected.get(key) ?? new Map();
    expected.set(key, index.set(id, score));
  };
  for (const [id, { record, type, isPaused }] of agents) {
    const { status } = record;
    for (const filter of [{}, { type }, { status }, { type, status }]) {
      add(keys.agents(filter), id, 0);
      if (isPaused) add(keys.agents({ ...filter, paused: true }), id, 0);
    }
  }
  for (const [id, task] of tasks) {
    const { agent_id: agent, status, tags, worker_id } = task.record;
    const type = typeOf(id, agent, snapshot, agents, keys);
    const scopes = [{}, { type }, { agent }].flatMap((one) => [one, ...(tags ?? []).map((tag) => ({ ...one, tag }))]);
    const worker = worker_id === null ? [] : [{ worker: worker_id }];
    for (const one of [...scopes, ...worker]) {
      for (const filter of [one, { ...one, status }]) add(keys.tasks(filter), id, 0);
    }
    const setting = { task: id, agent, type: type as string, keys };
    for (const [key, member] of requestIndexes(snapshot, setting)) add(key, member, 0);
    const place = placeOf(id, task, snapshot, keys);
    // After the deletion of an agent, its reserved tasks are removed one after the other.
    if (place === 'reserved') add(reservedSetOf(task, keys) as string, id);
    const owner = agents.get(agent);
    if (!owner) continue;
    if (isEnded(task)) add(keys.ended(agent), id, Date.parse(task.record.completed_at as string));
    if (place === 'queue') {
      add(queueOf(task, keys), id);
      const isFull = (snapshot.leased.get(agent)?.size ?? 0) >= owner.max;
      if (!owner.isPaused && !isFull)
        add(withNeeds(keys.ready(owner.type), task.state ? needsOf(task.state) : ''), agent);
    }
  }
  return expected;
}

/** A task is in all indexes of exactly one type: one that its agent has or had. */
function typeOf(id: string, agentId: string, { purges, sorted }: Snapshot, agents: Records['agents'], keys: Keys) {
  const types = agents.get(agentId)?.types ?? purges.get(agentId)?.split(' ') ?? [];
  return types.find((type) => sorted.get(keys.tasks({ type }))?.has(id)) ?? types[0];
}

/** The queue has each agent's tasks by priority, then by arrival; agents with a queue wait in turn. */
function queueProblems({ sorted, turns }: Snapshot, { agents, tasks }: Records, keys: Keys): string[] {
  const problems: string[] = [];
  const ready = new Map<string, Set<number>>();
  const reserved = [...sorted].flatMap(([key, scores]) => (key.startsWith(keys.reserved('')) ? [...scores] : []));
  const reservedBy = Map.groupBy(reserved, ([task]) => tasks.get(task)?.record.agent_id);
  for (const [id, { type, arrivals }] of agents) {
    const numbers = new Set<number>();
    const queued = queuesOf({ sorted }, keys.queue(id)).flatMap((key) => [...(sorted.get(key) ?? [])]);
    for (const [task, score] of [...queued, ...(reservedBy.get(id) ?? [])]) {
      const number = score % PRIORITY_STEP;
      const priority = tasks.get(task)?.record.priority;
      if (Math.floor(score / PRIORITY_STEP) !== priority) problems.push(`${task} of priority ${priority} has ${score}`);
      const { record, state } = tasks.get(task) ?? {};
      const isFirst = record?.next_attempt_at != null && state?.parked?.lease === state?.leases;
      if (isFirst && number === 0) continue;
      if (number < 1 || number > arrivals) problems.push(`${task} arrived as ${number} of ${arrivals}`);
      if (numbers.has(number)) problems.push(`two tasks of ${id} arrived as ${number}`);
      numbers.add(number);
    }
    for (const key of queuesOf({ sorted }, keys.ready(type))) {
      const turn = sorted.get(key)?.get(id);
      if (turn === undefined) continue;
      const others = ready.get(key) ?? new Set();
      if (others.has(turn) || turn > turns) problems.push(`agent ${id} has the turn ${turn} of ${turns}, or shares it`);
      ready.set(key, others.add(turn));
    }
  }
  return problems;
}

/** Each task has one timer: its next deadline. */
function timerProblems(snapshot: Snapshot, { agents, tasks }: Records, setting: Setting): string[] {
  const { sorted, now } = snapshot;
  const timers = sorted.get(setting.keys.timers) ?? new Map<string, number>();
  const problems = [...timers.keys()].filter((id) => !tasks.has(id)).map((id) => `${id} has left its timer`);
  for (const [id, task] of tasks) {
    const score = timers.get(id);
    const deadline = deadlineOf(id, task, snapshot, setting);
    if (isTimerOf(deadline, score, now)) continue;
    // The queue of a deleted agent is gone.
    if (!agents.has(task.record.agent_id) && score === expiryOf(task)) continue;
    problems.push(`the timer of ${id}, ${task.record.status}, is ${score}, not ${deadline}`);
  }
  return problems;
}

function deadlineOf(id: string, task: StoredTask, snapshot: Snapshot, { keys, retentionMs }: Setting): number {
  const { record, state } = task;
  const { lease, conversation } = state ?? {};
  const { open = [], interruptedAt = Number.POSITIVE_INFINITY } = conversation ?? {};
  if (record.status === 'running') return Math.min(lease?.expiresAt ?? Number.NaN, interruptedAt + INTERRUPTION_MS);
  if (record.status === 'input_required') {
    return Math.min(lease?.expiresAt ?? Number.POSITIVE_INFINITY, ...open.map(({ expiresAt }) => expiresAt));
  }
  if (record.status !== 'pending') return Date.parse(record.completed_at as string) + retentionMs;
  return pendingDeadline(id, task, snapshot, keys);
}
