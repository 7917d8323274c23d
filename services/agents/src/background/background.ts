import { setTimeout as sleep } from 'node:timers/promises';
import { connectQueueRedis } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';

const NAME = 'background';
const EVERY_MS = 5_000;
/** A run ends before the next begins. */
const RUN_MS = 4_000;
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
  let scheduled: Promise<unknown> = Promise.resolve();
  // At each connection, as Redis may have lost its data.
  connection.on('ready', () => {
    scheduled = queue
      .upsertJobScheduler(NAME, { every: everyMs }, { opts: { removeOnComplete: true, removeOnFail: 10 } })
      .catch(report);
  });

  async function run(): Promise<void> {
    const signal = AbortSignal.timeout(RUN_MS);
    const [purges, retypes] = await Promise.all([redis.hkeys(keys.purges), redis.smembers(keys.retypes)]);
    for (const agentId of purges) await agentTasks.purge(agentId, signal);
    for (const agentId of retypes) await agentTasks.retype(agentId, signal);
  }

  return {
    /** Waits at most 2 s for a running job. */
    async close(): Promise<void> {
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
