import { Counter, type Registry } from 'prom-client';

/** Returns the function that counts a restart of a BullMQ queue (redis/recurring-job.ts). */
export function createQueueMetrics(registry: Registry): () => void {
  const restarts = new Counter({
    name: 'queue_restarts_total',
    help: 'Times that a queue was connected anew because it made no progress while jobs waited',
    registers: [registry],
  });
  return () => restarts.inc();
}
