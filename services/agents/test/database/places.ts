import type { Keys } from '../../src/redis/keys.ts';
import { waitsOn } from '../../src/tasks/rules/dependencies.ts';
import { needsOf } from '../../src/tasks/rules/needs.ts';
import { encodeKey } from '../../src/tasks/rules/task-state.ts';
import type { Records, StoredTask } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** A timer that is due is set ahead by a replica while it handles it. */
const CLAIM_MS = 5_000;
/** A replica ends a reservation by its own measure of Redis' clock. */
const CLOCK_TOLERANCE_MS = 500;

/**
 * Where a ready task has to be. It waits outside of the queues only while its timer is that of its start, and stays
 * reserved until the timer of the end is handled.
 */
export function placeOf(
  id: string,
  task: StoredTask,
  { sorted, now, laneTasks }: Snapshot,
  keys: Keys,
): 'queue' | 'reserved' | undefined {
  if (task.record.status !== 'pending' || startOf(task) > now) return undefined;
  if (waitsOn(task.state ?? {}).length > 0) return undefined;
  if (isBehind(id, task, laneTasks)) return undefined;
  const reserved = reservedSetOf(task, keys);
  if (reserved !== undefined && sorted.get(reserved)?.has(id)) return 'reserved';
  if (sorted.get(queueOf(task, keys))?.has(id)) {
    return reservedUntil(task) > now + CLOCK_TOLERANCE_MS ? 'reserved' : 'queue';
  }
  if (startOf(task) > 0 && isTimerOf(dueOf(task), sorted.get(keys.timers)?.get(id), now)) return undefined;
  return reservedUntil(task) > now ? 'reserved' : 'queue';
}

/** Whether another task of its lane is queued or leased in its place. */
function isBehind(id: string, { record }: StoredTask, laneTasks: Snapshot['laneTasks']): boolean {
  const fields = laneTasks.get(record.agent_id) ?? {};
  return fields[`task ${id}`] !== undefined && fields[`next ${encodeKey(record)}`] !== id;
}

/** When a pending task starts, stops being reserved, or expires: whatever is next. */
export function pendingDeadline(id: string, task: StoredTask, { sorted, laneTasks }: Snapshot, keys: Keys): number {
  const expiry = expiryOf(task);
  if (waitsOn(task.state ?? {}).length > 0) return NEVER;
  if (isBehind(id, task, laneTasks)) {
    const [, worker = ''] = laneTasks.get(task.record.agent_id)?.[`task ${id}`]?.split(' ') ?? [];
    return worker === '' ? expiry : Math.min(reservedUntil(task), expiry);
  }
  if (sorted.get(queueOf(task, keys))?.has(id)) return expiry;
  const isReserved = sorted.get(reservedSetOf(task, keys) ?? '')?.has(id);
  return isReserved ? Math.min(reservedUntil(task), expiry) : dueOf(task);
}

export const isTimerOf = (deadline: number, score: number | undefined, now: number) =>
  score === deadline || (score !== undefined && deadline <= now && score > deadline && score <= now + CLAIM_MS);

/** The sorted set of the tasks that are reserved for the same worker. */
export function reservedSetOf({ state }: StoredTask, keys: Keys): string | undefined {
  return state?.reservation && withNeeds(keys.reserved(state.reservation.workerId), needsOf(state));
}

/** The queue of the tasks of its agent that need the same of their worker. */
export const queueOf = ({ record, state }: StoredTask, keys: Keys) =>
  withNeeds(keys.queue(record.agent_id), state ? needsOf(state) : '');

export const withNeeds = (key: string, needs: string) => (needs === '' ? key : `${key}:${needs}`);

/** The last time that a date can have. */
const NEVER = 8.64e15;

/** A task that has asked a person once never expires. */
export const expiryOf = ({ record, state }: StoredTask) =>
  state?.conversation?.requests ? NEVER : Date.parse(record.expires_at);

/** Each agent counts its reserved tasks by worker. */
export function reservationProblems({ reservations, sorted }: Snapshot, { agents, tasks }: Records, keys: Keys) {
  const expected = new Map<string, Map<string, number>>();
  for (const [key, members] of sorted) {
    if (!key.startsWith(keys.reserved(''))) continue;
    const worker = key.slice(keys.reserved('').length).split(':')[0] as string;
    for (const id of members.keys()) {
      const agent = tasks.get(id)?.record.agent_id ?? '';
      if (!agents.has(agent)) continue;
      const counts = expected.get(agent) ?? new Map<string, number>();
      expected.set(agent, counts.set(worker, (counts.get(worker) ?? 0) + 1));
    }
  }
  return [...new Set([...expected.keys(), ...reservations.keys()])].flatMap((agent) => {
    const counts = expected.get(agent) ?? new Map<string, number>();
    const found = reservations.get(agent) ?? {};
    return [...new Set([...counts.keys(), ...Object.keys(found)])]
      .filter((worker) => String(counts.get(worker)) !== found[worker])
      .map(
        (worker) => `agent ${agent} counts ${found[worker]}, not ${counts.get(worker)} tasks reserved for ${worker}`,
      );
  });
}

const startOf = ({ record }: StoredTask) =>
  Math.max(Date.parse(record.scheduled_at ?? '') || 0, Date.parse(record.next_attempt_at ?? '') || 0);

/** When a task that waits outside of the queues starts, or expires. */
const dueOf = (task: StoredTask) => Math.min(startOf(task), expiryOf(task));

/** 0 when it is reserved for none. */
const reservedUntil = ({ state }: StoredTask) => state?.reservation?.until ?? 0;
