import { LRUCache } from 'lru-cache';
import { toMicros, toSpent, type Used } from '../../agent-work/used.ts';
import { encodePart } from '../../contract/ids.ts';
import type { Missing } from '../../contract/parameters.ts';
import type { KeptReply } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import type { ConversationWrites, TaskEvent } from '../rules/conversation.ts';
import { waitsOn } from '../rules/dependencies.ts';
import { labelSetOf, needsOf } from '../rules/needs.ts';
import { isParked } from '../rules/parking.ts';
import { counterOf } from '../rules/task-counters.ts';
import { earliestStart, nextDeadline, reservedFor } from '../rules/task-rules.ts';
import {
  encodeKey,
  encodeTags,
  encodeWorker,
  type StoredTask,
  type TaskState,
  type TaskWithState,
  toStoredTask,
} from '../rules/task-state.ts';
import type { TaskChange } from '../rules/task-transitions.ts';
import type { Task } from '../task.ts';
import type { TaskReader } from './task-reader.ts';

/**
 * Tries of one change at most: of concurrent changes of a task one succeeds, and the others try again. More than the
 * messages that people may send at once.
 */
const MAX_TRIES = 150;
/** Leased tasks that this process remembers, and the length of their records. */
const REMEMBERED = { max: 5_000, maxSize: 4 * 1024 * 1024 };

/** A change of a task, nothing to change, or why a rule refuses it. */
type Decision<Refusal> = TaskChange | { refused: Refusal } | undefined;

/** The least that is left of the budgets of an attempt. */
export interface Left {
  micros: number;
  /** The end of the budget's period in ms; infinite without one. */
  until: number;
}

/**
 * The outcome of a change. `budget`: it is not leased, as one is used up. `unchanged`: the rule returned undefined.
 * `state` is null for a deleted task.
 */
export type Changed<Refusal> =
  | { outcome: 'changed' | 'unchanged'; task: Task; json: string; state: TaskState | null; left?: Left | undefined }
  | { outcome: 'refused'; refused: Refusal }
  | { outcome: 'too many sets' | 'cycle' }
  | { outcome: 'budget'; until: number }
  | KeptReply
  | Missing;

/**
 * Applies a rule to a task by compare-and-set (CAS) of its state, in one script with everything that follows from it.
 * When another change came first, the rule runs again. `known` is the task as the caller has read it.
 */
export type ChangeTask = <Refusal = never>(
  agentId: string,
  taskId: string,
  rule: (stored: StoredTask, now: number) => Decision<Refusal>,
  known?: StoredTask,
) => Promise<Changed<Refusal>>;

interface ChangerParts {
  reader: TaskReader;
  /** Called when an agent has more ended tasks than `retention.count`. */
  onTooManyEnded: (agentId: string) => void;
  /** Called when tasks that wait for others are to hear of their ends. */
  onHandover: () => void;
}

export function createTaskChanger(
  context: FleetContext,
  { reader, onTooManyEnded, onHandover }: ChangerParts,
): ChangeTask {
  const {
    barrier,
    clock,
    config: { retention },
    metrics,
  } = context;
  const changeTask = loadFleetScript(context, 'tasks/store/change-task');
  /**
   * Tasks that this process has leased, so that their result takes one round trip. They may be outdated: the script
   * confirms each change, and a refusal is final only after the task was read.
   */
  const leased = new LRUCache<string, StoredTask>({ ...REMEMBERED, sizeCalculation: ({ json }) => json.length });

  function remember(
    taskId: string,
    { state, ...after }: Omit<StoredTask, 'state'> & { state: TaskState | null },
  ): void {
    if (state?.lease) leased.set(taskId, { ...after, state });
    else leased.delete(taskId);
  }

  return async (agentId, taskId, rule, known) => {
    let stored = known ?? leased.get(taskId);
    if (stored?.task.agent_id !== agentId) stored = undefined;
    let isConfirmed = false;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (!stored) {
        const read = await reader.readForChange(agentId, taskId);
        if (read.outcome !== 'found') return read;
        stored = read;
        isConfirmed = true;
      }
      const now = clock.now();
      const decision = rule(stored, now);
      if (!decision || 'refused' in decision) {
        if (!isConfirmed) {
          stored = undefined;
          continue;
        }
        if (decision) return { outcome: 'refused', ...decision };
        await barrier();
        return { ...stored, outcome: 'unchanged' };
      }
      const { args, texts, after } = toChangeArguments(stored, decision, retention.ms, now);
      const [outcome, ...reply] = await changeTask(args, ...texts);
      if (outcome === 'changed') {
        metrics.countChange(decision);
        const [lastEvent, ended, handed, micros, until] = reply as [number, number, number, number?, string?];
        remember(taskId, { ...after, lastEvent, stateText: `${lastEvent} ${after.stateJson}` });
        if (ended > retention.count) onTooManyEnded(agentId);
        if (handed > 0) onHandover();
        return { outcome, ...after, left: micros === undefined ? undefined : { micros, until: toEnd(until) } };
      }
      if (outcome === 'budget') return { outcome, until: toEnd(reply[0] as string) };
      if (outcome === 'kept') return { outcome, value: reply[0] as string };
      leased.delete(taskId);
      if (outcome !== 'conflict') return { outcome: outcome as Missing['outcome'] | 'too many sets' | 'cycle' };
      const [json, stateText] = reply as [string, string];
      stored = toStoredTask(json, stateText);
      isConfirmed = true;
    }
    throw new Error(`The task ${taskId} has too many concurrent changes`);
  };
}

const toEnd = (text = '') => (text === '' ? Number.POSITIVE_INFINITY : Number(text));

/** What the cost of an attempt has grown by, and whose budgets it counts in besides those of its agent. */
function toCosts(before: TaskState, after: TaskState | null, used: Used | undefined) {
  if (!before.lease && !after?.lease) return undefined;
  const { user, key } = before.creator ?? {};
  const last = after?.lease ? after.lease.used : (used ?? before.lease?.used);
  return {
    micros: toMicros(last?.cost?.amount ?? 0) - toMicros(before.lease?.used?.cost?.amount ?? 0),
    creators: [...(user ? [`user:${user}`] : []), ...(key ? [`key:${key}`] : [])],
  };
}

/** The arguments of change-task-1.lua, and the task after the change; undefined when it is deleted. */
function toChangeArguments(before: StoredTask, change: TaskChange, retentionMs: number, now: number) {
  const { state, event, earlier = [], attempt, used, agentStatus = 'idle', kept } = change;
  const task = change.task ?? before.task;
  const after = state === null ? 'deleted' : task.status;
  const needs = needsOf(before.state);
  const isReady = after === 'pending' && earliestStart(task) <= now && waitsOn(state ?? {}).length === 0;
  const new_needs = state ? needsOf(state) : '';
  const args = {
    agent: before.task.agent_id,
    task: before.task.id,
    at: now,
    before: before.task.status,
    after,
    tags: encodeTags(before.task.tags),
    new_tags: event?.type === 'task.replaced' ? encodeTags(task.tags) : undefined,
    worker: encodeWorker(before.task.worker_id),
    new_worker: state === null ? undefined : encodeWorker(task.worker_id),
    queue: isReady ? toQueueing(event, needs === new_needs) : undefined,
    reserved: encodeWorker(before.state.reservation?.workerId),
    new_reserved: state ? encodeWorker(reservedFor(state, now)) : undefined,
    lease: toLeaseChange(before.state, state),
    lane: encodeKey(before.task),
    new_lane: state === null ? undefined : encodeKey(task),
    priority: task.priority,
    first: state !== null && isParked({ task, state }),
    due: state === null ? 0 : nextDeadline({ task, state }, retentionMs, now),
    needs,
    new_needs,
    labels: labelSetOf(before.state),
    new_labels: state ? labelSetOf(state) : '',
    version: before.task.agent_version ?? undefined,
    events: [...earlier.map((one) => toEvent(one, before.task.status)), ...(event ? [toEvent(event)] : [])],
    suspended: after === 'input_required' && !state?.lease,
    ...(event?.type === 'task.replaced' && {
      continued: before.task.continue_of ?? undefined,
      continues: task.continue_of ?? undefined,
    }),
    edges: toEdges(before, state && { task, state }),
    writes: change.writes && toWrites(change.writes),
    kept: kept && { digest: kept.digest, expected: kept.expected },
    bulk: change.bulk,
    audit: change.audit,
    labels_of: change.owner,
    counter: counterOf(before, event?.type, now),
    spent: before.state.lease && !state?.lease ? toSpentOf(before, used ?? before.state.lease.used) : undefined,
    costs: toCosts(before.state, state, used),
    last: before.lastEvent,
    agent_status: agentStatus,
    owner: before.state.owner,
  };
  const json = change.task ? JSON.stringify(task) : before.json;
  const stateJson = state === null ? '' : JSON.stringify(state);
  const texts = [before.stateText, stateJson, change.task ? json : '', attempt ? JSON.stringify(attempt) : ''];
  if (kept) texts.push(kept.value);
  return { args, texts, after: { task, json, stateJson, state } };
}

/** How the edges of a task to those that it comes after change; undefined if they do not. */
function toEdges(before: TaskWithState, after: TaskWithState | null) {
  const [named, waits] = [namesOf(before), openOf(before)];
  const [names, waiting] = after ? [namesOf(after), openOf(after)] : [[], []];
  const edges = {
    after: named.filter((id) => !names.includes(id)),
    waits: waits.filter((id) => !waiting.includes(id)),
    new_after: names.filter((id) => !named.includes(id)),
    new_waits: waiting.filter((id) => !waits.includes(id)),
  };
  return Object.values(edges).some((ids) => ids.length > 0) ? edges : undefined;
}

const namesOf = ({ task }: TaskWithState) => task.after ?? [];
const openOf = ({ task, state }: TaskWithState) => (task.status === 'pending' ? waitsOn(state) : []);

function toLeaseChange(before: TaskState, after: TaskState | null): 'taken' | 'given back' | undefined {
  if (!before.lease === !after?.lease) return undefined;
  return after?.lease ? 'taken' : 'given back';
}

/** What an attempt of a task adds to the counters, by what it is counted; `''` is what has no name. */
function toSpentOf({ task, state }: StoredTask, used: Used | undefined) {
  const spent = toSpent(used);
  const { user = '', key = '' } = state.creator ?? {};
  const tags = encodeTags(task.tags);
  const names = {
    model: [spent.model],
    user: [encodePart(user)],
    key: [encodePart(key)],
    tag: tags.length > 0 ? tags : [''],
    version: [String(task.agent_version ?? '')],
  };
  return { ...spent, names };
}

const toEvent = ({ type, data }: TaskEvent, status?: string) => ({
  type,
  status,
  data: data && JSON.stringify(data),
});

/**
 * Without an event nothing but the time has changed, or what the task needs: one whose start has come is queued,
 * another one stays.
 */
function toQueueing(event: TaskEvent | undefined, needsTheSame: boolean): 'back' | 'join' | 'move' {
  if (event) return 'back';
  return needsTheSame ? 'join' : 'move';
}

const toWrites = (writes: ConversationWrites) => ({
  ...writes,
  entries: writes.entries?.map(({ type, data }) => ({
    ...{ level: 'info', stream: 'system', type, text: '' },
    data: JSON.stringify(data),
  })),
});
