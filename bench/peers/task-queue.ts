import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { KEPT } from './new-task.ts';

/** A queue of BullMQ with a worker in manual mode, over one connection. */
export function openTaskQueue(name: string) {
  const connection = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
  // A worker would open another connection to wait for jobs. This one never waits.
  const options = { connection, autorun: false, removeOnComplete: KEPT };
  const worker = new Worker(name, null, options, (of, own) => createRedisBackend(of, own));
  return { queue: new Queue(name, { connection }), worker };
}
