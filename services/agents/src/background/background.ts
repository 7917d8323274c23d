import { setTimeout as sleep } from 'node:timers/promises';
import { connectQueueRedis, isRedisUnavailable } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';
import type { BulkRunner } from '../bulk-actions/bulk-runner.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';

const NAME = 'background';
/** Runs on this replica, so that a long one does not delay what begins. */
const CONCURRENCY = 2;
const EVERY_MS = 5_000;
/** Share of the time between two runs that a run may take. */
const RUN_SHARE = 0.8;
/** Runs after which the job is scheduled again: once a minute. */
const RUNS_PER_SCHEDULE = 12;
const CLOSE_WAIT_MS = 2_000;

/** A change of an agent's tasks, by the id of the agent, or a bulk action. */
interface Change {
  id: string;
  /** Resolves with true when steps are left that this replica should continue at once. */
  continueSteps(id: string, signal: AbortSignal): Promise<unknown>;
}

/**
 * Continues unfinished changes of agents' tasks, and bulk actions, by a BullMQ job on one replica: every few seconds,
 * and when `start` is called.
 */
export function startBackground(
  { redis, keys, logger }: FleetContext,
  redisUrl: string,
  agentTasks: AgentTasks,
  bulkRunner: BulkRunner,
  everyMs = EVERY_MS,
) {
  const connection = connectQueueRedis(redisUrl, logger);
  const options = { connection, prefix: keys.queues };
  const queue = new Queue(NAME, { ...options, streams: { events: { maxLen: 100 } } });
  const worker = new Worker(NAME, run, { ...options, concurrency: CONCURRENCY });
  // The connection logs once that Redis is unavailable.
  const report = (error: unknown) =>
    logger[connection.status === 'ready' ? 'warn' : 'debug']({ err: error }, 'background queue failed');
  queue.on('error', report);
  worker.on('error', report);
  worker.on('failed', (_job, error) => logger.error({ err: error }, 'background job failed'));
  const closing = new AbortController();
  let scheduled: Promise<unknown> = Promise.resolve();
  const schedule = () => {
    scheduled = queue
      .upsertJobScheduler(NAME, { every: everyMs }, { opts: { removeOnComplete: true, removeOnFail: 10 } })
      .catch(report);
  };
  schedule();
  // Again and again, as Redis may lose its data: by a restart, or by FLUSHALL on an open connection.
  const scheduling = setInterval(() => connection.status === 'ready' && schedule(), RUNS_PER_SCHEDULE * everyMs);

  /** What this replica changes. */
  const inProgress = new Set<string>();

  /** The changes share the time of a run, so that a long one does not delay others. Each takes at least a step. */
  async function run(): Promise<void> {
    const end = performance.now() + RUN_SHARE * everyMs;
    const changes = (await listChanges()).filter(({ id }) => !inProgress.has(id));
    let isLeft = false;
    for (const [at, { id, continueSteps }] of changes.entries()) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) break;
      if (inProgress.has(id)) continue;
      inProgress.add(id);
      const share = AbortSignal.timeout(Math.ceil(leftMs / (changes.length - at)));
      try {
        const isUnfinished = await continueSteps(id, AbortSignal.any([share, closing.signal]));
        isLeft ||= isUnfinished === true;
      } catch (error) {
        if (isRedisUnavailable(error)) throw error;
        logger.error({ err: error, id }, 'failed to continue a change of tasks');
      } finally {
        inProgress.delete(id);
      }
    }
    if (isLeft && !closing.signal.aborted) await start();
  }

  async function listChanges(): Promise<Change[]> {
    const [purges, retypes, bulkActions] = await Promise.all([
      redis.hkeys(keys.purges),
      redis.smembers(keys.retypes),
      bulkRunner.listRunning(),
    ]);
    return [
      ...purges.map((id) => ({ id, continueSteps: agentTasks.purge })),
      ...retypes.map((id) => ({ id, continueSteps: agentTasks.retype })),
      ...bulkActions.map((id) => ({ id, continueSteps: bulkRunner.run })),
    ];
  }

  /** Begins a run at once, on any replica. */
  const start = async (): Promise<void> => {
    await queue.add(NAME, undefined, { removeOnComplete: true, removeOnFail: 10 }).catch(report);
  };

  return {
    start,

    /** Waits at most 2 s for a running job. */
    async close(): Promise<void> {
      clearInterval(scheduling);
      closing.abort();
      // BullMQ waits for Redis; closing must not when Redis is unavailable. A command without a reply does not fail
      // when the connection ends.
      const waited = sleep(CLOSE_WAIT_MS, undefined, { ref: false });
      await Promise.race([Promise.all([worker.pause(), scheduled]), waited]);
      await worker.close(true);
      connection.disconnect();
      await queue.close();
    },
  };
}
