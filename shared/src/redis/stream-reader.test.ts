import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { testRedisUrl, uniquePrefix } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { connectRedis, waitForRedis } from './connection.ts';
import { StreamReader } from './stream-reader.ts';

const ADD_MANY = `for number = ARGV[1], ARGV[2] do
  redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[3], number .. '-0', 'a', 'b')
end`;

const logger = createLogger('test', 'silent');

/** Starts a reader, which is `blocked` while it waits for entries. Everything it reports is in `heard`. */
async function start() {
  const name = uniquePrefix('stream-reader');
  const redis = connectRedis(testRedisUrl(), logger) as Redis;
  const own = connectRedis(testRedisUrl(), logger, { connectionName: name });
  await Promise.all([redis, own].map((client) => waitForRedis(client, 20_000)));
  const heard: string[] = [];
  const onEntry = ([id]: [string, string[]]) => void heard.push(id);
  const reader = new StreamReader({
    redis: own,
    key: name,
    onEntry,
    onGap: () => void heard.push('gap'),
    logger,
    lingerMs: 0,
  });
  return {
    reader,
    heard,
    add: (number: number) => redis.xadd(name, `${number}-0`, 'a', 'b'),
    /** Adds entries by one script, so that nothing is read between them. */
    addMany: (from: number, to: number, kept: number) => redis.eval(ADD_MANY, 1, name, from, to, kept),
    lose: () => redis.del(name),
    async isBlocked(): Promise<boolean> {
      const clients = String(await redis.client('LIST')).split('\n');
      return clients.some((line) => line.includes(` name=${name} `) && / flags=\S*b/.test(line));
    },
    async [Symbol.asyncDispose]() {
      await reader.close();
      redis.disconnect();
    },
  };
}

test('reads only while it has a user, and reports a gap when it begins', async () => {
  await using test = await start();
  const { reader, heard, add, isBlocked } = test;
  await add(1);
  expect([await isBlocked(), heard]).toEqual([false, []]);
  const leave = reader.use();
  await until(isBlocked);
  await add(2);
  await until(() => heard.length === 2);
  // Else it might be about to read once more.
  await until(isBlocked);
  leave();
  await until(async () => !(await isBlocked()));
  await add(3);
  const leaveAgain = reader.use();
  await until(isBlocked);
  await add(4);
  await until(() => heard.length === 4);
  leaveAgain();
  expect(heard).toEqual(['gap', '2-0', 'gap', '4-0']);
});

test('reads on while one of its users remains, even if another leaves twice', async () => {
  await using test = await start();
  const { reader, heard, add, isBlocked } = test;
  const leave = reader.use();
  reader.use();
  await until(isBlocked);
  leave();
  leave();
  for (const number of [1, 2, 3]) {
    await add(number);
    await until(() => heard.length === number + 1);
  }
  expect(heard).toEqual(['gap', '1-0', '2-0', '3-0']);
});

test('reports a gap and reads from the new end when Redis has lost the stream', async () => {
  await using test = await start();
  const { reader, heard, add, lose } = test;
  reader.use();
  await until(() => heard.length === 1);
  await add(5);
  await until(() => heard.length === 2);
  await lose();
  await until(() => heard.length === 3);
  await add(1);
  await until(() => heard.length === 4);
  expect(heard).toEqual(['gap', '5-0', 'gap', '1-0']);
});

test('reports a gap when entries are trimmed before it reads them', async () => {
  await using test = await start();
  const { reader, heard, add, addMany } = test;
  reader.use();
  await until(() => heard.length === 1);
  await add(1);
  await until(() => heard.length === 2);
  await addMany(2, 2_500, 1_000);
  await until(() => heard.includes('2500-0'));
  await add(2_501);
  await until(() => heard.includes('2501-0'));
  expect(heard.slice(0, 3)).toEqual(['gap', '1-0', '1501-0']);
  expect(heard.slice(-3)).toEqual(['2500-0', 'gap', '2501-0']);
});

test('reports no gap when it reads more entries than fit in one read, and none was trimmed', async () => {
  await using test = await start();
  const { reader, heard, add, addMany } = test;
  reader.use();
  await until(() => heard.length === 1);
  await add(1);
  await until(() => heard.length === 2);
  await addMany(2, 2_500, 3_000);
  await until(() => heard.includes('2500-0'));
  expect(heard).toEqual(['gap', ...Array.from({ length: 2_500 }, (_, at) => `${at + 1}-0`)]);
});
