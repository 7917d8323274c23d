import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisUnavailable, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { applyDeadlines, earliestStart, nextDeadline } from '../tasks/task-rules.ts';
import type { TaskWriter } from '../tasks/task-writer.ts';

/** Longest pause between two polls: another replica may set a timer that is due sooner. */
const POLL_MS = 250;
/** Timers claimed per poll and handled concurrently. */
const STEP = 50;
/** A claim that is not completed in this time passes to another replica. */
const CLAIM_MS = 5_000;

interface Dependencies {
  redis: RedisClient;
  keys: Keys;
  fleet: Fleet;
  queue: TaskQueue;
  taskWriter: TaskWriter;
  retentionMs: number;
  logger: Logger;
}

/**
 * Handles deadlines: scheduled starts, retries, expired leases, attempts and tasks, and the retention of ended tasks.
 * All replicas poll; each timer is claimed by one.
 */
export function startTimers({ redis, keys, fleet, queue, taskWriter, retentionMs, logger }: Dependencies) {
  const claimTimers = loadScript(redis, new URL('./claim-timers-1.lua', import.meta.url));
  const completeTimer = loadScript(redis, new URL('./complete-timer-1.lua', import.meta.url));
  const closing = new AbortController();

  /** Returns the pause before the next poll in ms. */
  async function poll(): Promise<number> {
    const now = Date.now();
    // A random fraction of a millisecond distinguishes claims of the same time.
    const until = now + CLAIM_MS + Math.floor(Math.random() * 1_000) / 1_000;
    const [next, ...members] = (await claimTimers([keys.timers], [now, until, STEP])) as string[];
    await Promise.all(members.map((member) => handleTimer(member, until)));
    if (members.length === STEP) return 0;
    return next ? Math.min(Math.max(Number(next) - Date.now(), 0), POLL_MS) : POLL_MS;
  }

  async function handleTimer(member: string, until: number): Promise<void> {
    const [agentId, taskId] = member.split(' ') as [string, string];
    try {
      const next = await applyDeadline(agentId, taskId);
      await completeTimer([keys.timers], [member, until, next]);
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      logger.error({ err: error, agent_id: agentId, task_id: taskId }, 'failed to handle a timer');
    }
  }

  /** Returns the next deadline of the task in ms; 0: none. */
  async function applyDeadline(agentId: string, taskId: string): Promise<number> {
    try {
      const stored = await taskWriter.change(agentId, taskId, (found, now) => applyDeadlines(found, retentionMs, now));
      const now = Date.now();
      const { task } = stored;
      if (!stored.changed && task.status === 'pending' && earliestStart(task) <= now) {
        // Add the job without a delay, so that clock differences between replicas do not matter.
        await queue.remove(agentId, taskId);
        await queue.add(agentId, { id: taskId, priority: task.priority, startsAt: 0 });
        await fleet.complete({ agentId, ready: 1 });
      }
      return nextDeadline(stored, retentionMs, now);
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return 0;
      throw error;
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let pauseMs = POLL_MS;
      // The connection logs that Redis is unavailable.
      if (redis.status === 'ready') {
        try {
          pauseMs = await poll();
        } catch (error) {
          logger[isRedisUnavailable(error) ? 'debug' : 'error']({ err: error }, 'failed to poll timers; retrying');
        }
      }
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    /** Resolves when claimed timers are handled. */
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}
