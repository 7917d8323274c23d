import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createLogger, untilWritten } from './logger.ts';
import { connectRedis, waitForRedis } from './redis/connection.ts';
import { makeDataDir } from './testing/data-dir.ts';
import { testRedisUrl, uniquePrefix } from './testing/redis.ts';

/** The line of an error as logged. */
function logged(error: unknown): Record<string, never> {
  const lines: string[] = [];
  createLogger('test', 'info', { write: (line) => void lines.push(line) }).warn({ err: error }, 'failed');
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] as string);
}

test('logs an error of Redis without the arguments of its command', async () => {
  const redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
  await waitForRedis(redis, 60_000);
  const key = uniquePrefix('logger');
  const failed = await redis.call('SET', key, 'a secret', 'NO-SUCH-OPTION').catch((error: unknown) => error);
  const aborted = await redis
    .multi()
    .call('SET', 'a secret')
    .exec()
    .catch((error: unknown) => error);
  redis.disconnect();
  expect(logged(failed)).toMatchObject({ err: { message: 'ERR syntax error', command: 'SET' } });
  for (const error of [failed, aborted]) {
    expect(logged(error)).toMatchObject({ err: { stack: expect.any(String) } });
    expect(JSON.stringify(logged(error))).not.toContain('a secret');
  }
});

test('logs what is no error, and an error in itself', () => {
  expect(logged('text')).toMatchObject({ err: 'text' });
  const error: Error & { again?: unknown; list?: unknown[] } = new Error('outer', { cause: new Error('inner') });
  error.again = error;
  error.list = [error];
  expect(logged(error)).toMatchObject({ err: { message: 'outer: inner' } });
});

test('waits until the operating system has all lines', async () => {
  const dir = makeDataDir('fleet-log-');
  const file = join(dir, 'log');
  const logger = createLogger('gateway', 'info', pino.destination({ dest: file, sync: false, mkdir: true }));
  for (let number = 0; number < 5_000; number++) logger.info({ number }, 'a line');
  await untilWritten(logger, 20_000);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5_001);
  await expect(untilWritten(logger, 20)).rejects.toThrow();
  rmSync(dir, { recursive: true });
});

test('does not wait for destinations that have each line at once', async () => {
  const lines: string[] = [];
  const logger = createLogger('gateway', 'info', { write: (line) => void lines.push(line) });
  logger.info('a line');
  await untilWritten(logger, 0);
  expect(lines).toHaveLength(1);
});
