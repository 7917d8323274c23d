import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectQueueRedis } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';

/** More than a change usually takes. Repairing a change in progress is harmless. */
const OLDER_THAN_MS = 10_000;
const QUEUE = 'sweep';
const CLOSE_WAIT_MS = 2_000;

interface SweepOptions {
  redisUrl: string;
  /** Prefix of the queue's keys. */
  prefix: string;
  logger: Logger;
  everyMs: number;
  /** Repairs changes older than so many milliseconds; returns the number of repairs. */
  repair: (olderThanMs: number) => Promise<number>;
  olderThanMs?: number;
}

/** Runs `repair` every `everyMs` on one of the replicas, by a BullMQ job scheduler. */
export function startSweep(options: SweepOptions) {
  const { logger, prefix } = options;
  const connection = connectQueueRedis(options.redisUrl, logger);
  const queue = new Queue(QUEUE, { connection, prefix, streams: { events: { maxLen: 100 } } });
  const worker = new Worker(QUEUE, () => run(options), { connection, prefix, concurrency: 1 });
  // The connection logs once that Redis is unavailable.
  const report = (error: unknown) =>
    logger[connection.status === 'ready' ? 'warn' : 'debug']({ err: error }, 'sweep queue failed');
  queue.on('error', report);
  worker.on('error', report);
  worker.on('failed', (_job, error) => logger.error({ err: error }, 'sweep failed'));
  let scheduled: Promise<unknown> = Promise.resolve();
  // At each connection, as Redis may have lost its data.
  connection.on('ready', () => {
    scheduled = queue
      .upsertJobScheduler(QUEUE, { every: options.everyMs }, { opts: { removeOnComplete: true, removeOnFail: 10 } })
      .catch(report);
  });

  return {
    /** Waits at most 2 s for a running repair. */
    async close(): Promise<void> {
      // BullMQ waits for Redis; closing must not when Redis is unavailable.
      await Promise.race([worker.pause(), sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
      await worker.close(true);
      connection.disconnect();
      await scheduled;
      await queue.close();
    },
  };
}

async function run({ repair, logger, olderThanMs }: SweepOptions): Promise<void> {
  const repaired = await repair(olderThanMs ?? OLDER_THAN_MS);
  if (repaired > 0) logger.warn({ repaired }, 'sweep repaired agents');
}
