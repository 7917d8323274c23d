import type { Creator, RecordQuota } from '../../contract/callers.ts';
import type { Missing } from '../../contract/parameters.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { REDEFINED } from '../../definitions/definition-store.ts';
import { type Claim, type Kept, type KeptReply, toClaim } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import { toWaiting, waitsOn } from '../rules/dependencies.ts';
import { labelSetOf, needsOf, needsOfTask } from '../rules/needs.ts';
import { earliestStart, nextDeadline, reservedFor, toReservation } from '../rules/task-rules.ts';
import {
  type Dependency,
  encodeKey,
  encodeTags,
  encodeWorker,
  NEW_STATE,
  type TaskState,
} from '../rules/task-state.ts';
import type { BulkStep } from '../rules/task-transitions.ts';
import type { Task } from '../task.ts';
import type { TaskReader } from './task-reader.ts';

/** Writes of one script: 250 take about 1 ms. That is 25 tasks without tags. */
const MAX_WRITES = 250;
const WRITES_PER_TASK = 10;
const WRITES_PER_TAG = 6;
const WRITES_PER_DEPENDENCY = 3;

interface Creation {
  agentId: string;
  tasks: readonly Task[];
  /** The version that holds for the tasks; it must be the current one, unless they `keepVersion`. */
  definition: Definition | null;
  keepVersion?: boolean;
  /** What the tasks come after, by their ids. */
  dependencies?: ReadonlyMap<string, Dependency[]>;
  /** Records of the tasks. */
  records: readonly string[];
  /** Body of the reply, which is kept with the last task. */
  json: string;
  /** The id of the request, from which those of its tasks follow. */
  id: string;
  refused?: Claim['refused'];
  kept: Kept | undefined;
  /** The quota of pending tasks. */
  quota: RecordQuota | undefined;
  /** The step of a batch that creates them. */
  batch?: { id: string; left: number };
  /** The principal whose quota counts the tasks already. */
  counted?: string | undefined;
  /** Body of the reply when the quota allows only the first `count` tasks. Without it, nothing is created then. */
  shorten?: (count: number) => string;
  /** The step of a bulk action that creates the only task as a retry of `task`, once. */
  bulk?: BulkStep & { task: string };
  /** The principal, for its share of sets of labels. */
  owner?: string | undefined;
  creator: Creator | undefined;
  /** The entry in the audit trail, which comes with the first step. */
  audit?: string | undefined;
}

type Created =
  | { outcome: 'created'; json: string }
  | { outcome: 'full' | 'too many sets' | 'stale' }
  | typeof REDEFINED
  | Missing
  | KeptReply;

export type CreateTasks = ReturnType<typeof createTaskCreator>;

/** The result creates tasks of one agent; existing ones stay. Many are created in steps, each by one script. */
export function createTaskCreator(
  context: FleetContext,
  { reader, onHandover }: { reader: TaskReader; onHandover: () => void },
) {
  const {
    clock,
    config: { retention },
    metrics,
  } = context;
  const createTasks = loadFleetScript(context, 'tasks/store/create-tasks');

  return async (creation: Creation): Promise<Created> => {
    const {
      agentId,
      records,
      id,
      definition,
      keepVersion = false,
      dependencies,
      counted = creation.quota?.owner,
      refused,
      kept,
      quota,
      shorten,
      bulk,
      batch,
      audit,
      owner,
      creator,
    } = creation;
    const version = definition?.version ?? 0;
    let { tasks, json } = creation;
    const now = clock.now();
    const toCreate = async (task: Task) => {
      const reservation = toReservation(task, await reader.findLastWorker(agentId, task.continue_of));
      const needs = needsOfTask(definition, task.requires);
      const own = {
        ...(counted !== undefined && { owner: counted }),
        ...(creator && { creator }),
        ...(reservation && { reservation }),
        ...(needs.length > 0 && { needs }),
        ...toWaiting(dependencies?.get(task.id), Date.parse(task.created_at)),
      };
      const state = Object.keys(own).length > 0 ? { ...NEW_STATE, ...own } : NEW_STATE;
      return toCreateArguments(task, state, retention.ms, now);
    };
    const first = kept?.claim?.next ?? '';
    let from = tasks.filter((task) => task.id < first).length;
    let expected = kept?.expected;
    for (;;) {
      const to = findStepEnd(tasks, from);
      const { id: next, traceparent } = tasks[to] ?? {};
      const isFirst = from === 0 && !kept?.claim;
      const args = {
        agent: agentId,
        version: version === 0 ? undefined : version,
        current: isFirst && !keepVersion,
        sets: isFirst && !batch ? setsOf(tasks, definition) : undefined,
        owner,
        tasks: await Promise.all(tasks.slice(from, to).map(toCreate)),
        kept: kept && { digest: kept.digest, expected },
        quota,
        bulk,
        batch,
        audit: from === 0 ? audit : undefined,
      };
      const value =
        kept &&
        (next ? toClaim(kept, { id, at: now, next, refused, version, traceparent }) : `${kept.bodyDigest} ${json}`);
      const [outcome, found] = await createTasks(args, value ?? '', ...records.slice(from, to));
      if (outcome === 'missing') return { outcome: 'agent missing' };
      if (outcome === 'redefined' || outcome === 'too many sets' || outcome === 'stale') return { outcome };
      if (outcome === 'kept') return { outcome, value: found as string };
      if (outcome === 'full') {
        if (!shorten) return { outcome };
        const count = from + (found as number);
        tasks = tasks.slice(0, count);
        json = shorten(count);
        continue;
      }
      if ((found as number) > 0) onHandover();
      metrics.countCreated(to - from);
      if (!next) return { outcome: 'created', json };
      expected = value;
      from = to;
    }
  };
}

/** The arguments that create one task, whose record is also the body of the reply. */
export function toSingleCreation(
  task: Task,
  definition: Definition | null,
): Pick<Creation, 'agentId' | 'definition' | 'tasks' | 'records' | 'json' | 'id'> {
  const json = JSON.stringify(task);
  return { agentId: task.agent_id, definition, tasks: [task], records: [json], json, id: task.id };
}

/** The sets of labels of tasks. */
export function setsOf(tasks: readonly Task[], definition: Definition | null): string[] {
  const sets = new Set(tasks.map(({ requires }) => labelSetOf({ needs: needsOfTask(definition, requires) })));
  sets.delete('');
  return [...sets];
}

/** Where the tasks end that one script creates from there on. */
export function findStepEnd(tasks: readonly Task[], from: number): number {
  let writes = 0;
  for (let at = from; at < tasks.length; at++) {
    writes += WRITES_PER_TASK + WRITES_PER_TAG * (tasks[at]?.tags?.length ?? 0);
    writes += WRITES_PER_DEPENDENCY * (tasks[at]?.after?.length ?? 0);
    if (at > from && writes > MAX_WRITES) return at;
  }
  return tasks.length;
}

/** An element of `tasks` of create-tasks-1.lua. */
function toCreateArguments(task: Task, state: TaskState, retentionMs: number, now: number) {
  const { id, priority, created_at, tags } = task;
  return {
    id,
    at: Date.parse(created_at),
    due: nextDeadline({ task, state }, retentionMs, now),
    priority,
    ready: earliestStart(task) <= now && waitsOn(state).length === 0,
    reserved: encodeWorker(reservedFor(state, now)),
    continues: task.continue_of ?? undefined,
    after: task.after ?? [],
    waits: waitsOn(state),
    state: state === NEW_STATE ? '' : JSON.stringify(state),
    lane: encodeKey(task),
    needs: needsOf(state),
    labels: labelSetOf(state),
    tags: encodeTags(tags),
  };
}
