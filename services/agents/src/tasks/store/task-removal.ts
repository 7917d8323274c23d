import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { Purge } from '../../agents/agents.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import { waitsOn } from '../rules/dependencies.ts';
import { labelSetOf, needsOf } from '../rules/needs.ts';
import { isEnded, remove } from '../rules/task-rules.ts';
import { encodeTags, encodeWorker, parseState } from '../rules/task-state.ts';
import type { Task } from '../task.ts';
import type { ChangeTask } from './task-changer.ts';

/** Tasks read at once. */
const PAGE = 25;
/** Writes of one script: 300 take about 1 ms. */
const MAX_WRITES = 300;

/**
 * The result takes at least one step, and runs until it is done or `signal` is aborted: the background job continues it
 * then, as after a crash.
 */
export function createPurge(context: FleetContext, onHandover: () => void): Purge {
  const { redis, keys } = context;
  const purgeTasks = loadFleetScript(context, 'tasks/store/purge-tasks');

  async function readTasks(taskIds: string[]) {
    if (taskIds.length === 0) return [];
    const texts = await redis.mget([...taskIds.map(keys.task), ...taskIds.map(keys.state)]);
    return taskIds.flatMap((id, at) => {
      const [json, state] = [texts[at], texts[at + taskIds.length]];
      if (!json || !state) return [];
      const { status, tags, worker_id, after } = JSON.parse(json) as Task;
      const parsed = parseState(state).state;
      const { owner, reservation } = parsed;
      const workers = { worker: encodeWorker(worker_id), reserved: encodeWorker(reservation?.workerId) };
      const sets = { tags: encodeTags(tags), needs: needsOf(parsed), labels: labelSetOf(parsed) };
      return [{ id, status, ...sets, ...workers, owner, after: after ?? [], waits: waitsOn(parsed) }];
    });
  }

  return async (agent, signal) => {
    const types = await redis.hget(keys.purges, agent);
    if (types === null) return;
    const [type, ...was] = types.split(' ');
    for (let done = false; !done; ) {
      const taskIds = await redis.zrange(keys.tasks({ agent }), 0, `${PAGE - 1}`);
      const found = await readTasks(taskIds);
      // Another replica removes them.
      if (found.length < taskIds.length) return;
      const tasks = firstStep(found);
      done = taskIds.length < PAGE && tasks.length === found.length;
      const [handed] = await purgeTasks({ agent, type, was: was.join(' '), tasks, done });
      if (handed !== 0) onHandover();
      if (signal.aborted) return;
    }
  };
}

/** The first tasks, at least one, that a script can remove. Each is in three indexes, with and without each tag. */
function firstStep<Indexed extends { tags: string[] }>(tasks: Indexed[]): Indexed[] {
  let writes = 0;
  const end = tasks.findIndex(({ tags }, at) => {
    writes += 6 * (tags.length + 1) + 2;
    return at > 0 && writes > MAX_WRITES;
  });
  return end < 0 ? tasks : tasks.slice(0, end);
}

/** Ended tasks to remove concurrently. */
const TRIM_STEP = 20;

/** The result removes the oldest ended tasks of an agent that has too many, in steps. It never rejects. */
export function createTrimEnded(
  {
    redis,
    keys,
    logger,
    config: {
      retention: { count },
    },
  }: FleetContext,
  change: ChangeTask,
) {
  /** Agents being trimmed, and whether more of their tasks have ended since the last check. */
  const trimming = new Map<string, { isBehind: boolean }>();

  const removeEnded = (agentId: string, taskId: string) =>
    change(agentId, taskId, (stored) => (isEnded(stored.task) ? remove({ reason: 'retention' }) : undefined));

  async function trim(agentId: string): Promise<void> {
    for (;;) {
      // One command: after a separate count, removals by other replicas would shift the range into tasks to be kept.
      const over = await redis.zrevrange(keys.ended(agentId), count, count + TRIM_STEP - 1);
      if (over.length === 0) return;
      await Promise.all(over.map((taskId) => removeEnded(agentId, taskId)));
    }
  }

  return async (agentId: string): Promise<void> => {
    const running = trimming.get(agentId);
    if (running) {
      running.isBehind = true;
      return;
    }
    const current = { isBehind: true };
    trimming.set(agentId, current);
    try {
      while (current.isBehind) {
        current.isBehind = false;
        await trim(agentId);
      }
    } catch (error) {
      const level = isRedisUnavailable(error) ? 'debug' : 'warn';
      logger[level]({ err: error, agent_id: agentId }, 'failed to remove ended tasks');
    } finally {
      trimming.delete(agentId);
    }
  };
}
