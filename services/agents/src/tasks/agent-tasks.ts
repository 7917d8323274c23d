import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { TASK_STATUSES, type Task } from './task.ts';
import { earliestStart } from './task-rules.ts';

/** Tasks per step, so that other commands do not wait for an agent with a million tasks. */
const STEP = 500;

export type AgentTasks = ReturnType<typeof createAgentTasks>;

/** Operations on all tasks of an agent. Each works in steps and can be repeated. */
export function createAgentTasks(redis: RedisClient, keys: Keys, fleet: Fleet, queue: TaskQueue) {
  /** By id, not by rank, as tasks are added and deleted meanwhile. */
  async function* idsInSteps(index: string): AsyncGenerator<string[]> {
    for (let after = '-'; ; ) {
      const taskIds = await redis.zrangebylex(index, after, '+', 'LIMIT', 0, STEP);
      if (taskIds.length > 0) yield taskIds;
      if (taskIds.length < STEP) return;
      after = `(${taskIds.at(-1)}`;
    }
  }

  async function readTasks(agentId: string, taskIds: readonly string[]): Promise<Task[]> {
    if (taskIds.length === 0) return [];
    const records = await redis.mget(taskIds.map((taskId) => keys.task(agentId, taskId)));
    return records.flatMap((record) => (record === null ? [] : [JSON.parse(record) as Task]));
  }

  async function requeueTaken(agentId: string): Promise<void> {
    const taken = await queue.listTaken(agentId);
    const pending = (await readTasks(agentId, taken)).filter(({ status }) => status === 'pending');
    const waiting = new Map(pending.map((task) => [task.id, task]));
    for (const taskId of taken) {
      await queue.remove(agentId, taskId);
      const task = waiting.get(taskId);
      if (task) await queue.add(agentId, toQueued(task));
    }
  }

  return {
    /** Moves the tasks to the agent's current type in the fleet's indexes. */
    async reindexType(agentId: string): Promise<void> {
      for await (const taskIds of idsInSteps(keys.tasks(agentId))) await fleet.reindexType(agentId, taskIds);
    },

    /** Deletes all remaining data of a deleted agent. */
    async purge(agentId: string): Promise<void> {
      for (;;) {
        const taskIds = await redis.zrange(keys.tasks(agentId), 0, `${STEP - 1}`);
        if (taskIds.length === 0) break;
        await fleet.removeTasks(agentId, taskIds);
        await redis.unlink(
          taskIds.flatMap((taskId) => [
            keys.task(agentId, taskId),
            keys.taskState(agentId, taskId),
            keys.attempts(agentId, taskId),
          ]),
        );
        await redis.zrem(keys.tasks(agentId), ...taskIds);
      }
      await queue.obliterate(agentId);
      await redis.unlink([
        ...TASK_STATUSES.map((status) => keys.tasks(agentId, status)),
        keys.ended(agentId),
        keys.agentEvents(agentId),
        keys.agentSeq(agentId),
      ]);
    },

    /** Adds jobs that a crash has lost; returns the number of pending tasks. */
    async requeue(agentId: string): Promise<number> {
      await requeueTaken(agentId);
      let count = 0;
      for await (const taskIds of idsInSteps(keys.tasks(agentId, 'pending'))) {
        const missing = await queue.findMissing(agentId, taskIds);
        const tasks = (await readTasks(agentId, missing)).filter(({ status }) => status === 'pending');
        await queue.addAll(agentId, tasks.map(toQueued));
        count += taskIds.length;
      }
      return count;
    },
  };
}

export function toQueued(task: Task): { id: string; priority: number; startsAt: number } {
  return { id: task.id, priority: task.priority, startsAt: earliestStart(task) };
}
