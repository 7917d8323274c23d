import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { toQueued } from './agent-tasks.ts';
import type { Task } from './task.ts';

/** A task as stored. */
interface WrittenTask {
  task: Task;
  json: string;
}

/** Maintains the invariant that exactly the pending tasks have a job. `after` is undefined for a deleted task. */
export function createUpdateJob(redis: RedisClient, keys: Keys, queue: TaskQueue) {
  /** Replaces the job, and again until no concurrent change of the task is found. */
  async function replaceJob(agentId: string, { task, json }: WrittenTask): Promise<void> {
    for (let written = json; ; ) {
      const current = JSON.parse(written) as Task;
      await queue.remove(agentId, task.id);
      if (current.status === 'pending') await queue.add(agentId, toQueued(current));
      const found = await redis.get(keys.task(agentId, task.id));
      if (found === null || found === written) return;
      written = found;
    }
  }

  return async (agentId: string, before: Task, after: WrittenTask | undefined): Promise<void> => {
    if (before.status === 'pending' && after?.task.status === 'running') await queue.finish(agentId, before.id);
    else if (after?.task.status === 'pending') await replaceJob(agentId, after);
    else if (before.status === 'pending') await queue.remove(agentId, before.id);
  };
}
