import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { createRedisBackend, type Job, type JobJson, type RedisQueueBackend } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Keys } from '../keys.ts';

const NAME = 'queue';
/** BullMQ then keeps no lock: a task's record is what decides who may work on it. */
const NO_LOCK = '0';
/** Nobody reads the events of these queues; BullMQ trims them to about this many. */
export const QUEUE_EVENTS_KEPT = 1;
/** Queues whose keys are at hand, 4 KB each: to put them together takes a third of adding a job (measured). */
const QUEUES_AT_HAND = 1_000;
/** Jobs removed in one step. */
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

/** What a queue has to know of a task that may be worked on. */
interface QueuedTask {
  id: string;
  /** 1 goes first. */
  priority: number;
  /** Not before this time, in ms. */
  startsAt: number;
}

/**
 * BullMQ as the scheduler: each agent has a queue, and each pending task a job in it, under the task's id, that waits for its time and its
 * turn. A job is only a ticket: that it is taken changes nothing before the task's record has changed, so that one that is lost is
 * issued again, and one that is out of date is thrown away.
 */
export interface TaskQueue {
  /** Does nothing when the task has a job. */
  add(agentId: string, task: QueuedTask): Promise<void>;
  addAll(agentId: string, tasks: readonly QueuedTask[]): Promise<void>;
  /** The id of the task whose turn it is. It has to be finished, or added again after it is removed. */
  take(agentId: string): Promise<string | undefined>;
  /** Throws the job of a taken task away; one that waits again stays. */
  finish(agentId: string, taskId: string): Promise<void>;
  remove(agentId: string, taskId: string): Promise<void>;
  /** Tasks that were taken and not finished: at most 1,000. */
  listTaken(agentId: string): Promise<string[]>;
  /** Which of some tasks have no job. */
  findMissing(agentId: string, taskIds: readonly string[]): Promise<string[]>;
  /** Removes the queue, in steps. */
  obliterate(agentId: string): Promise<void>;
  /** The zset of jobs whose time has come. */
  waitingKey(agentId: string): string;
  /** The hash of the queue's own settings. */
  metaKey(agentId: string): string;
}

/** `redis` is shared with all other commands: a request waits for BullMQ no longer than for them. */
export function createTaskQueue(redis: RedisClient, keys: Keys): TaskQueue {
  // Without a look at Redis first: commands fail while it is away, and work when it is back.
  const options = { connection: redis, skipVersionCheck: true, skipWaitingForReady: true };
  const shared = createRedisBackend(NAME, options);
  // What it has to tell is told by the connection, and by each command.
  shared.on('error', () => {});
  const queues = new LRUCache<string, RedisQueueBackend>({
    max: QUEUES_AT_HAND,
    memoMethod: (agentId) => shared.forQueue(NAME, keys.queuePrefix(agentId)) as RedisQueueBackend,
  });
  const queueOf = (agentId: string) => queues.memo(agentId);

  return {
    async add(agentId, task) {
      const job = toJob(task);
      await queueOf(agentId).addJob(job, job.id);
    },

    async addAll(agentId, tasks) {
      const jobs = tasks.map(toJob);
      const [job] = jobs;
      // A pipeline costs more than a job.
      if (jobs.length === 1 && job) await queueOf(agentId).addJob(job, job.id);
      else if (jobs.length > 1) await queueOf(agentId).addJobs(jobs.map((each) => ({ job: each, jobId: each.id })));
    },

    async take(agentId) {
      const [, taskId] = await queueOf(agentId).moveToActive(NO_LOCK);
      return taskId || undefined;
    },

    async finish(agentId, taskId) {
      const job = { id: taskId, opts: {} } as Job;
      try {
        await queueOf(agentId).moveToCompleted(job, null, true, NO_LOCK, false);
      } catch (error) {
        if (!isNotTaken(error)) throw error;
      }
    },

    async remove(agentId, taskId) {
      await queueOf(agentId).remove(taskId, false);
    },

    listTaken: (agentId) => redis.lrange(queueOf(agentId).keys.active as string, 0, 999),

    async findMissing(agentId, taskIds) {
      const queue = queueOf(agentId);
      const found = await Promise.all(taskIds.map((taskId) => redis.exists(queue.toKey(taskId))));
      return taskIds.filter((_, at) => found[at] === 0);
    },

    async obliterate(agentId) {
      const queue = queueOf(agentId);
      for (;;) {
        // BullMQ wants it paused; what is left of the queue then is removed with it.
        await queue.pause(true);
        try {
          if ((await queue.obliterate({ force: true, count: OBLITERATE_STEP })) !== 1) return;
        } catch (error) {
          // Others who remove the same queue, as the sweep may, have done so since, pause and all.
          if (error instanceof Error && /non-paused queue/.test(error.message)) return;
          throw error;
        }
      }
    },

    waitingKey: (agentId) => `${keys.queuePrefix(agentId)}:${NAME}:prioritized`,
    metaKey: (agentId) => `${keys.queuePrefix(agentId)}:${NAME}:meta`,
  };
}

function toJob({ id, priority, startsAt }: QueuedTask): JobJson {
  const now = Date.now();
  const delay = Math.max(0, startsAt - now);
  return { ...UNPRIORITISED, id, timestamp: now, opts: delay > 0 ? { priority, delay } : { priority } };
}

/** BullMQ's codes of `moveToFinished`: -1 there is no such job, -3 it is not active. */
function isNotTaken(error: unknown): boolean {
  const code = (error as { code?: number }).code;
  return code === -1 || code === -3;
}
