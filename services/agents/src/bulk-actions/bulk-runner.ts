import { setTimeout as sleep } from 'node:timers/promises';
import { createId, timeOfId } from '@agent-fleet/shared/ids';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { encodePart } from '../contract/ids.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toRetry } from '../tasks/new-task.ts';
import { takeOver } from '../tasks/rules/dependencies.ts';
import { cancel, remove } from '../tasks/rules/task-rules.ts';
import { encodeTags, idsOf, type StoredTask, toStoredTask } from '../tasks/rules/task-state.ts';
import { toSingleCreation } from '../tasks/store/task-creator.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskFilter } from '../tasks/task-filter.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { BulkStore, Failure, StoredBulkAction } from './bulk-store.ts';
import { MAX_FAILURES } from './contract.ts';

/** Tasks of a step. */
const STEP = 100;
/** Tasks that change concurrently. */
const CONCURRENCY = 4;
/** Pause after each step, as a share of its duration, so that other requests do not wait. */
const PAUSE_SHARE = 0.5;

/** Runs bulk actions. */
export class BulkRunner {
  readonly #context;
  readonly #store;
  readonly #tasks;

  constructor(context: FleetContext, store: BulkStore, tasks: Tasks) {
    this.#context = context;
    this.#store = store;
    this.#tasks = tasks;
  }

  /** Changes a task, unless that was done before; returns the code of an error. */
  async #changeOne(action: StoredBulkAction, taskId: string): Promise<Failure | undefined> {
    const { redis, keys, logger } = this.#context;
    // The state first, as in TaskReader.readForChange.
    const [state, json] = await Promise.all([redis.get(keys.state(taskId)), redis.get(keys.task(taskId))]);
    if (!json || !state) return undefined;
    const { agent_id } = idsOf(json);
    try {
      const stored = toStoredTask(json, state);
      if (!isMatch(stored.task, action.filter)) return undefined;
      const code = action.action === 'retry' ? await this.#retry(action, stored) : await this.#apply(action, stored);
      return code === undefined ? undefined : { agent_id, task_id: taskId, code };
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      logger.error({ err: error, agent_id, task_id: taskId }, 'failed to change a task by a bulk action');
      return { agent_id, task_id: taskId, code: 'internal_error' };
    }
  }

  async #apply({ id, cursor, action, filter }: StoredBulkAction, stored: StoredTask): Promise<undefined> {
    await this.#tasks.change(
      stored.task.agent_id,
      stored.task.id,
      (current, now) => {
        if (!isMatch(current.task, filter)) return undefined;
        const changed = action === 'delete' ? remove() : cancel(current, null, now);
        return changed && { ...changed, bulk: { id, cursor } };
      },
      stored,
    );
  }

  async #retry(action: StoredBulkAction, stored: StoredTask): Promise<string | undefined> {
    const { id, cursor, owner, until, origin, creator } = action;
    const { task } = stored;
    const { taken, missing } = takeOver(stored);
    if (missing.length > 0) return 'dependency_failed';
    const { config, clock } = this.#context;
    const max = config.quotas.pendingTasks;
    // Clocks of replicas differ by some ms: the action must not find the new task.
    const taskId = createId(Math.max(clock.now(), timeOfId(until).getTime() + 1));
    const definition = await this.#tasks.definitions.readOf(task);
    const created = await this.#tasks.create({
      ...toSingleCreation(toRetry(task, taskId, { origin, before: definition, after: definition }), definition),
      dependencies: new Map([[taskId, taken]]),
      keepVersion: true,
      creator,
      kept: undefined,
      quota: max > 0 && owner !== undefined ? { owner, max } : undefined,
      bulk: { id, cursor, task: task.id },
    });
    if (created.outcome === 'too many sets') return 'too_many_requirement_sets';
    return created.outcome === 'full' ? 'quota_exceeded' : undefined;
  }

  /** Takes a step; undefined when it was the last one, or this replica no longer runs the action. */
  async #takeStep(action: StoredBulkAction): Promise<StoredBulkAction | undefined> {
    const { id, cursor, filter, until } = action;
    const found = await this.#tasks.search.readIds(filter, cursor || undefined, STEP);
    const taskIds = found.ids.filter((taskId) => taskId <= until);
    const failed = await mapConcurrently(taskIds, (taskId) => this.#changeOne(action, taskId));
    const failures = [...action.failures, ...failed].slice(0, MAX_FAILURES);
    const isChanged = failures.length > action.failures.length;
    const done = found.next === undefined || found.next >= until;
    const next = found.next ?? cursor;
    const step = { id, cursor, next, failed: failed.length, done, ...(isChanged && { failures }) };
    const isAdvanced = await this.#store.advance(step);
    return isAdvanced && !done ? { ...action, cursor: next, failures } : undefined;
  }

  listRunning(): Promise<string[]> {
    return this.#store.listRunning();
  }

  /**
   * Runs an action until it has ended, another replica runs it, or `signal` is aborted; it takes at least one step.
   * Each step may be repeated after a crash, on any replica: a task changes, and is counted, in one script, only if
   * the step is not over. Returns whether steps are left.
   */
  async run(id: string, signal: AbortSignal): Promise<boolean> {
    let action = await this.#store.read(id);
    if (action?.state !== 'running') return false;
    for (;;) {
      const start = performance.now();
      action = await this.#takeStep(action);
      if (!action) return false;
      if (signal.aborted) return true;
      await sleep((performance.now() - start) * PAUSE_SHARE);
    }
  }
}

/** Whether a task still matches: it may have changed since its id was found. */
function isMatch({ status, tags, worker_id }: Task, { status: statuses = [], tag, worker_id: worker }: TaskFilter) {
  if (!statuses.includes(status)) return false;
  if (tag !== undefined && !encodeTags(tags).includes(encodePart(tag))) return false;
  return worker === undefined || (worker_id !== null && encodePart(worker_id) === encodePart(worker));
}

/** Calls `handle` with the items, a few at once; returns the results that are not undefined. */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  handle: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: Result[] = [];
  const next = items.values();
  const run = async () => {
    for (const item of next) {
      const result = await handle(item);
      if (result !== undefined) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, run));
  return results;
}
