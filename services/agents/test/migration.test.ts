import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { StartError } from '@agent-fleet/shared/process';
import { connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { expect, test } from '@jest/globals';
import { LockLost, withLock } from '../src/migrations/lock.ts';
import { type Migration, migrate } from '../src/migrations/migrate.ts';

const quiet = createLogger('test', 'silent');
const server = await startTestRedis();
own(server.close);
const redis = await connect();

async function connect() {
  const client = connectRedis(server.url, quiet);
  own(() => client.disconnect());
  await waitForRedis(client, 60_000);
  return client;
}

const layoutOf = (prefix: string) => redis.get(`${prefix}:{default}:layout`);

/** Counts up to `steps`, each step by one write; the step `crashAt` fails once. */
function countTo(steps: number, crashAt?: number): Migration {
  let left = crashAt === undefined ? 0 : 1;
  return async (client, prefix, write) => {
    const key = `${prefix}:{default}:steps`;
    for (let done = Number(await client.get(key)); done < steps; done++) {
      if (done === crashAt && left-- > 0) throw new Error('crashed');
      await write([['INCR', key]]);
    }
  };
}

test('gives an empty fleet layout 1, and starts one whose data has the former number of that layout', async () => {
  await migrate(storeOn(redis), 'empty', quiet);
  expect(await layoutOf('empty')).toBe('1');
  await redis.set('former:{default}:layout', 4);
  await migrate(storeOn(redis), 'former', quiet);
  expect(await layoutOf('former')).toBe('1');
});

test('applies each migration once when several replicas start, and continues after a crash', async () => {
  const lock = 'several:{default}:migrating';
  const migrations = [countTo(3, 2), countTo(5)];
  await redis.set('several:{default}:layout', 1);
  await expect(migrate(storeOn(redis), 'several', quiet, migrations)).rejects.toThrow('crashed');
  expect([await layoutOf('several'), await redis.get('several:{default}:steps')]).toEqual(['1', '2']);
  await redis.set(lock, 'of a replica that crashed', 'PX', 1_000);
  const lines: unknown[] = [];
  const logger = createLogger('test', 'silent');
  logger.info = (...line: unknown[]) => void lines.push(line);
  const clients = await Promise.all([connect(), connect(), connect()]);
  await Promise.all(clients.map((client) => migrate(storeOn(client), 'several', logger, migrations)));
  expect(lines).toHaveLength(2);
  expect([await layoutOf('several'), await redis.get('several:{default}:steps')]).toEqual(['3', '5']);
  expect(await redis.exists(lock)).toBe(0);
});

test('a replica whose lock has expired writes nothing any more', async () => {
  const [lock, key] = ['paused:{default}:migrating', 'paused:{default}:x'];
  const migrating = withLock(storeOn(redis), lock, 60_000, async (write) => {
    await write([['SET', key, 'before']]);
    await redis.set(lock, 'of another replica');
    await write([['SET', key, 'after']]);
  });
  await expect(migrating).rejects.toThrow(LockLost);
  expect(await redis.mget(lock, key)).toEqual(['of another replica', 'before']);
});

test('refuses to start on a layout that is newer than the program', async () => {
  await redis.set('newer:{default}:layout', 2);
  const started = migrate(storeOn(redis), 'newer', quiet);
  await expect(started).rejects.toThrow(StartError);
  await expect(started).rejects.toThrow(
    /^The data in Redis has layout 2 \(newer:\{default}:layout\), and this version knows layouts up to 1: start the/,
  );
});
