import { setTimeout as sleep } from 'node:timers/promises';
import { connectQueueRedis, isRedisUnavailable } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';

const NAME = 'background';
const EVERY_MS = 5_000;
/** Share of the time between two runs that a run may take. */
const RUN_SHARE = 0.8;
/** Runs after which the job is scheduled again: once a minute. */
const RUNS_PER_SCHEDULE = 12;
const CLOSE_WAIT_MS = 2_000;

/** Continues unfinished changes of agents' tasks by a BullMQ job, which runs on one replica at a time. */
export function startBackground(
  { redis, keys, logger }: FleetContext,
  redisUrl: string,
  agentTasks: AgentTasks,
  everyMs = EVERY_MS,
) {
  const connection = connectQueueRedis(redisUrl, logger);
  const options = { connection, prefix: keys.queues };
  const queue = new Queue(NAME, { ...options, streams: { events: { maxLen: 100 } } });
  const worker = new Worker(NAME, run, { ...options, concurrency: 1 });
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

  /** The agents share the time of a run, so that a long change does not delay others. Each takes at least a step. */
  async function run(): Promise<void> {
    const end = performance.now() + RUN_SHARE * everyMs;
    const [purges, retypes] = await Promise.all([redis.hkeys(keys.purges), redis.smembers(keys.retypes)]);
    const changes = [
      ...purges.map((agentId) => ({ agentId, continueSteps: agentTasks.purge })),
      ...retypes.map((agentId) => ({ agentId, continueSteps: agentTasks.retype })),
    ];
    for (const [at, { agentId, continueSteps }] of changes.entries()) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) return;
      const share = AbortSignal.timeout(Math.ceil(leftMs / (changes.length - at)));
      try {
        await continueSteps(agentId, AbortSignal.any([share, closing.signal]));
      } catch (error) {
        if (isRedisUnavailable(error)) throw error;
        logger.error({ err: error, agent_id: agentId }, 'failed to change the tasks of an agent');
      }
    }
  }

  return {
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
