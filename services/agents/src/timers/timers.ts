import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisAway, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { TaskChanges } from '../tasks/task-changes.ts';
import { dueOf, passTime, startOf } from '../tasks/task-rules.ts';

/** Between two looks when nothing is due before: another replica may set a timer that is due sooner. */
const LOOK_EVERY_MS = 250;
/** What is due is handled in steps of so many, at once. */
const STEP = 50;
/** What a replica has claimed and not settled in this time, another one takes. */
const CLAIM_MS = 5_000;

export interface Timers {
  /** Resolves when what was begun is done. */
  close(): Promise<void>;
}

interface Dependencies {
  redis: RedisClient;
  keys: Keys;
  fleet: Fleet;
  queue: TaskQueue;
  changes: TaskChanges;
  retentionMs: number;
  logger: Logger;
}

/**
 * Does on every replica what is due without a request: starts that were scheduled, retries, leases and attempts that have run out, tasks
 * that expire, ended ones that have been kept long enough. All replicas look; each timer is claimed by one.
 */
export function startTimers({ redis, keys, fleet, queue, changes, retentionMs, logger }: Dependencies): Timers {
  const claimTimers = loadScript(redis, new URL('./claim-timers-1.lua', import.meta.url));
  const settleTimer = loadScript(redis, new URL('./settle-timer-1.lua', import.meta.url));
  const closing = new AbortController();

  /** Gives when to look again, in ms. */
  async function look(): Promise<number> {
    const now = Date.now();
    // A fraction of a millisecond tells claims of the same time apart.
    const until = now + CLAIM_MS + Math.floor(Math.random() * 1_000) / 1_000;
    const [next, ...members] = (await claimTimers([keys.timers], [now, until, STEP])) as string[];
    await Promise.all(members.map((member) => settle(member, until)));
    if (members.length === STEP) return 0;
    return next ? Math.min(Math.max(Number(next) - Date.now(), 0), LOOK_EVERY_MS) : LOOK_EVERY_MS;
  }

  async function settle(member: string, until: number): Promise<void> {
    const [agentId, taskId] = member.split(' ') as [string, string];
    try {
      const next = await handle(agentId, taskId);
      await settleTimer([keys.timers], [member, until, next]);
    } catch (error) {
      if (isRedisAway(error)) throw error;
      logger.error({ err: error, agent_id: agentId, task_id: taskId }, 'what is due for a task cannot be done');
    }
  }

  /** Gives when something is due for the task next, in ms; 0: nothing. */
  async function handle(agentId: string, taskId: string): Promise<number> {
    try {
      const stored = await changes.change(agentId, taskId, (found, now) => passTime(found, retentionMs, now));
      const now = Date.now();
      const { task } = stored;
      if (!stored.changed && task.status === 'pending' && startOf(task) <= now) {
        // Ready in the queue whatever the clocks of those who take from it say.
        await queue.remove(agentId, taskId);
        await queue.add(agentId, { id: taskId, priority: task.priority, startsAt: 0 });
        await fleet.settle({ agentId, ready: 1 });
      }
      return dueOf(stored, retentionMs, now);
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return 0;
      throw error;
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let pauseMs = LOOK_EVERY_MS;
      // That Redis is away is told by the connection.
      if (redis.status === 'ready') {
        try {
          pauseMs = await look();
        } catch (error) {
          logger[isRedisAway(error) ? 'debug' : 'error']({ err: error }, 'timers are not looked at; trying again');
        }
      }
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
