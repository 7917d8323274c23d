import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { toQueued } from './agent-tasks.ts';
import type { Task } from './task.ts';

/** A task as it has been written. */
interface WrittenTask {
  task: Task;
  json: string;
}

/** Keeps the rule that a task has a job as long as it is pending; `after` is undefined when the task was deleted. */
export type UpdateJob = (agentId: string, before: Task, after: WrittenTask | undefined) => Promise<void>;

export function createUpdateJob(redis: RedisClient, keys: Keys, queue: TaskQueue): UpdateJob {
  /** Another job in the place of the last one, and again until the task is found as it was before. */
  async function issueAnew(agentId: string, { task, json }: WrittenTask): Promise<void> {
    for (let written = json; ; ) {
      const current = JSON.parse(written) as Task;
      await queue.remove(agentId, task.id);
      if (current.status === 'pending') await queue.add(agentId, toQueued(current));
      const found = await redis.get(keys.task(agentId, task.id));
      if (found === null || found === written) return;
      written = found;
    }
  }

  return async (agentId, before, after) => {
    if (before.status === 'pending' && after?.task.status === 'running') await queue.finish(agentId, before.id);
    else if (after?.task.status === 'pending') await issueAnew(agentId, after);
    else if (before.status === 'pending') await queue.remove(agentId, before.id);
  };
}
