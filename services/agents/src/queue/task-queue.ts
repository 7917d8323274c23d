import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { createRedisBackend, type Job, type JobJson, type RedisQueueBackend } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Keys } from '../keys.ts';

const NAME = 'queue';
/** Disables BullMQ's locks: the task's record decides who may work on it. */
const NO_LOCK = '0';
/** The events of these queues are not used; BullMQ trims them to about this many. */
export const QUEUE_EVENTS_KEPT = 1;
/** Queue objects to cache, 4 KB each: creating one takes a third of the time of adding a job (measured). */
const CACHED_QUEUES = 1_000;
/** Jobs removed per call. */
const OBLITERATE_STEP = 500;
const UNPRIORITISED: JobJson = {
  id: '',
  name: 'task',
  data: '{}',
  opts: {},
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  timestamp: 0,
  failedReason: '',
  returnvalue: 'null',
  stalledCounter: 0,
};

/** The fields of a pending task that its job needs. */
interface QueuedTask {
  id: string;
  /** 1 is the highest. */
  priority: number;
  /** Earliest start in ms. */
  startsAt: number;
}

export type TaskQueue = ReturnType<typeof createTaskQueue>;

/**
 * BullMQ as the scheduler. Each agent has a queue, and each pending task has a job in it under the task's id, which
 * waits for its start and orders tasks by priority. Jobs are only hints: the task's record decides. The sweep replaces
 * lost jobs, and stale jobs are discarded.
 * Uses the shared connection `redis`, so that commands of BullMQ have the same deadline as others.
 */
export function createTaskQueue(redis: RedisClient, keys: Keys) {
  // Do not check Redis first: commands fail while it is unavailable, and work once it is back.
  const options = { connection: redis, skipVersionCheck: true, skipWaitingForReady: true };
  const shared = createRedisBackend(NAME, options);
  // The connection and each command report errors.
  shared.on('error', () => {});
  const queues = new LRUCache<string, RedisQueueBackend>({
    max: CACHED_QUEUES,
    memoMethod: (agentId) => shared.forQueue(NAME, keys.queuePrefix(agentId)) as RedisQueueBackend,
  });
  const queueOf = (agentId: string) => queues.memo(agentId);

  return {
    /** Does nothing when the task has a job already. */
    async add(agentId: string, task: QueuedTask): Promise<void> {
      const job = toJob(task);
      await queueOf(agentId).addJob(job, job.id);
    },

    async addAll(agentId: string, tasks: readonly QueuedTask[]): Promise<void> {
      const jobs = tasks.map(toJob);
      const [job] = jobs;
      // A pipeline costs more than a single job.
      if (jobs.length === 1 && job) await queueOf(agentId).addJob(job, job.id);
      else if (jobs.length > 1) await queueOf(agentId).addJobs(jobs.map((each) => ({ job: each, jobId: each.id })));
    },

    /** Takes the next job and returns its task id. Finish the job, or remove it and add it again. */
    async take(agentId: string): Promise<string | undefined> {
      const [, taskId] = await queueOf(agentId).moveToActive(NO_LOCK);
      return taskId || undefined;
    },

    /** Deletes a taken job; a waiting one stays. */
    async finish(agentId: string, taskId: string): Promise<void> {
      const job = { id: taskId, opts: {} } as Job;
      try {
        await queueOf(agentId).moveToCompleted(job, null, true, NO_LOCK, false);
      } catch (error) {
        if (!isNotTaken(error)) throw error;
      }
    },

    async remove(agentId: string, taskId: string): Promise<void> {
      await queueOf(agentId).remove(taskId, false);
    },

    /** Task ids of jobs that are taken and not finished: at most 1,000. */
    listTaken: (agentId: string): Promise<string[]> => redis.lrange(queueOf(agentId).keys.active as string, 0, 999),

    /** Returns the tasks without a job. */
    async findMissing(agentId: string, taskIds: readonly string[]): Promise<string[]> {
      const queue = queueOf(agentId);
      const found = await Promise.all(taskIds.map((taskId) => redis.exists(queue.toKey(taskId))));
      return taskIds.filter((_, at) => found[at] === 0);
    },

    /** Deletes the queue in steps. */
    async obliterate(agentId: string): Promise<void> {
      const queue = queueOf(agentId);
      for (;;) {
        // BullMQ requires the queue to be paused; the pause is deleted with the queue.
        await queue.pause(true);
        try {
          if ((await queue.obliterate({ force: true, count: OBLITERATE_STEP })) !== 1) return;
        } catch (error) {
          // Another caller, such as the sweep, has deleted the queue and its pause meanwhile.
          if (error instanceof Error && /non-paused queue/.test(error.message)) return;
          throw error;
        }
      }
    },

    /** The zset of jobs that are ready. */
    waitingKey: (agentId: string) => `${keys.queuePrefix(agentId)}:${NAME}:prioritized`,
    /** The hash of the queue's settings. */
    metaKey: (agentId: string) => `${keys.queuePrefix(agentId)}:${NAME}:meta`,
  };
}

function toJob({ id, priority, startsAt }: QueuedTask): JobJson {
  const now = Date.now();
  const delay = Math.max(0, startsAt - now);
  return { ...UNPRIORITISED, id, timestamp: now, opts: delay > 0 ? { priority, delay } : { priority } };
}

/** Codes of BullMQ's `moveToFinished`: -1 no such job, -3 not active. */
function isNotTaken(error: unknown): boolean {
  const code = (error as { code?: number }).code;
  return code === -1 || code === -3;
}
