import type { Command } from 'ioredis';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { RedisClient } from '../redis/connection.ts';
import { redisErrorCause } from '../redis/errors.ts';
import { exposeGauge } from './scraped-metrics.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** One of so many commands is timed. All together, measuring takes less than 1 µs per command (measured). */
const SAMPLE = 16;
/** Commands that wait on purpose. */
const BLOCKING = new Set(['xread', 'wait', 'waitaof', 'subscribe', 'psubscribe', 'ssubscribe']);

export interface RedisMetrics {
  measure(...clients: RedisClient[]): void;
}

/**
 * Measures a connection: whether it is ready, the time of commands, and errors by cause. A connection that is used by
 * others too must be measured once.
 */
export function createRedisMetrics(registry: Registry): RedisMetrics {
  const durations = new Histogram({
    name: 'redis_command_duration_seconds',
    help: `Time from sending a command to its reply, as this process sees it, of every ${SAMPLE}th command`,
    buckets: SECONDS,
    registers: [registry],
  });
  const errors = new Counter({
    name: 'redis_errors_total',
    help: 'Commands that failed because Redis was unavailable, by cause',
    labelNames: ['cause'],
    registers: [registry],
  });
  const clients: RedisClient[] = [];
  exposeGauge(registry, {
    name: 'redis_up',
    help: '1 while all measured connections of this process to Redis are ready',
    read: () => (clients.every(({ status }) => status === 'ready') ? 1 : 0),
  });
  let sent = 0;

  function onCommand(command: Command): void {
    const { reject } = command;
    // Cheaper than a handler of its promise.
    command.reject = (error) => {
      const cause = redisErrorCause(error);
      if (cause !== undefined) errors.inc({ cause });
      reject(error);
    };
    if (++sent % SAMPLE === 0 && !BLOCKING.has(command.name)) {
      const sentAtMs = performance.now();
      command.promise.then(
        () => durations.observe((performance.now() - sentAtMs) / 1_000),
        () => {},
      );
    }
  }

  return {
    measure(...measured) {
      clients.push(...measured);
      for (const client of measured) client.onCommand = onCommand;
    },
  };
}
