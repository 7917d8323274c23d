import { setTimeout as sleep } from 'node:timers/promises';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { redisTime } from '@agent-fleet/shared/redis/script';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { applyDeadlines } from '../tasks/rules/task-rules.ts';
import { idsOf, toStoredTask } from '../tasks/rules/task-state.ts';
import type { ChangeTask } from '../tasks/store/task-changer.ts';

/** Longest pause between two polls: another replica may set a timer that is due sooner. */
const POLL_MS = 250;
/** Timers claimed per poll and handled concurrently. */
const STEP = 50;
/** A claim that is not completed in this time passes to another replica. */
const CLAIM_MS = 5_000;

/**
 * Handles deadlines: scheduled starts, retries, expired leases, attempts and tasks, and the retention of ended tasks.
 * All replicas poll; each timer is claimed by one. The change of the task sets its next timer.
 */
export function startTimers(context: FleetContext, change: ChangeTask) {
  const {
    redis,
    keys,
    clock,
    config: { retention },
    logger,
  } = context;
  const claimTimers = loadFleetScript(context, 'timers/claim-timers');
  const closing = new AbortController();

  /** Returns the pause before the next poll in ms. */
  async function poll(): Promise<number> {
    const sentAt = performance.now();
    // A timer is due by the time of Redis. No claim, which would fail while replicas are lost, is needed to read it.
    if (!clock.isMeasured) {
      clock.observe(await redisTime(redis, keys.timers), sentAt);
      return 0;
    }
    const [now, next, ...texts] = await claimTimers({ claim: CLAIM_MS, max: STEP });
    clock.observe(now as number, sentAt);
    const due: Promise<void>[] = [];
    for (let at = 0; at < texts.length; at += 2) {
      const [json, stateText] = [texts[at], texts[at + 1]] as (string | null)[];
      if (json && stateText) due.push(handleTimer(json, stateText));
    }
    await Promise.all(due);
    if (texts.length === 2 * STEP) return 0;
    return next ? Math.min(Math.max(Number(next) - clock.now(), 0), POLL_MS) : POLL_MS;
  }

  async function handleTimer(json: string, stateText: string): Promise<void> {
    try {
      const known = toStoredTask(json, stateText);
      const { id, agent_id } = known.task;
      await change(agent_id, id, (stored, now) => applyDeadlines(stored, retention.ms, now), known);
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      logger.error({ err: error, ...idsOf(json) }, 'failed to handle a timer');
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
