import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectQueueRedis } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';

/** Above the time that a change takes; to repair one that still goes on does no harm. */
const OLDER_THAN_MS = 10_000;
const QUEUE = 'sweep';
const CLOSE_WAIT_MS = 2_000;

export interface Sweep {
  /** Waits for a running repair, 2 s at most. */
  close(): Promise<void>;
}

export interface SweepOptions {
  redisUrl: string;
  /** Prefix of the queue's keys. */
  prefix: string;
  logger: Logger;
  everyMs: number;
  /** Repairs what is older than so many milliseconds; gives the number of repairs. */
  repair: (olderThanMs: number) => Promise<number>;
  olderThanMs?: number;
}

/** Runs `repair` every `everyMs` on one of all replicas, by a BullMQ job scheduler. */
export function startSweep(options: SweepOptions): Sweep {
  const { logger, prefix } = options;
  const connection = connectQueueRedis(options.redisUrl, logger);
  const queue = new Queue(QUEUE, { connection, prefix, streams: { events: { maxLen: 100 } } });
  const worker = new Worker(QUEUE, () => run(options), { connection, prefix, concurrency: 1 });
  // That Redis is away is told once, by the connection itself.
  const report = (error: unknown) =>
    logger[connection.status === 'ready' ? 'warn' : 'debug']({ err: error }, 'the sweep queue has a fault');
  queue.on('error', report);
  worker.on('error', report);
  worker.on('failed', (_job, error) => logger.error({ err: error }, 'sweep failed'));
  let scheduled: Promise<unknown> = Promise.resolve();
  // At each connection, as Redis may come back without its data.
  connection.on('ready', () => {
    scheduled = queue
      .upsertJobScheduler(QUEUE, { every: options.everyMs }, { opts: { removeOnComplete: true, removeOnFail: 10 } })
      .catch(report);
  });

  return {
    async close() {
      // Should Redis go away meanwhile, the queue's own work waits for it: closing must not.
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
