import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { processIdOf } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { connectRedis, waitForRedis } from './connection.ts';
import { isRedisUnavailable } from './errors.ts';

const quiet = createLogger('test', 'silent');
const redis = await startTestRedis();
own(redis.close);
const client = await connectTo(redis.url);

async function connectTo(url: string) {
  const connection = connectRedis(url, quiet);
  own(() => connection.disconnect());
  await waitForRedis(connection, 60_000);
  return connection;
}

test('a wrong command does not count as Redis being unavailable', async () => {
  await client.set('text', 'x');
  const error = await client.lpush('text', 'y').catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/WRONGTYPE/);
  expect(isRedisUnavailable(error)).toBe(false);
});

test('commands of one turn of the event loop are sent in writes of sixteen', async () => {
  const one = client as Redis;
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await one.info('stats'))?.[1]);
  const countReads = async (commands: number) => {
    const before = await reads();
    await Promise.all(Array.from({ length: commands }, () => client.get('text')));
    // The second INFO counts as a read too.
    return (await reads()) - before - 1;
  };
  expect(await countReads(15)).toBe(1);
  // Redis may find two writes at once.
  expect(await countReads(50)).toBeLessThanOrEqual(4);
});

test('commands fail at once while Redis is unavailable, and work after it returns', async () => {
  await redis.kill();
  const begin = Date.now();
  const errors = await Promise.all([1, 2, 3].map(() => client.get('text').catch((thrown: unknown) => thrown)));
  expect(errors.map(isRedisUnavailable)).toEqual([true, true, true]);
  // A command that waited would take five seconds.
  expect(Date.now() - begin).toBeLessThan(4_000);
  await redis.restart();
  await waitForRedis(client, 60_000);
  expect(await client.get('text')).toBe('x');
});

test('a master that has become a replica is left for the one that has its address now', async () => {
  const other = await startTestRedis({ password: redis.password });
  own(other.close);
  let target = redis;
  const sockets = new Set<Socket>();
  const address = createServer((socket) => {
    const server = connect(target.port, '127.0.0.1');
    for (const end of [socket, server]) sockets.add(end.on('error', () => {}));
    socket.pipe(server).pipe(socket);
    socket.on('close', () => server.destroy());
  });
  await once(address.listen(0, '127.0.0.1'), 'listening');
  const url = redis.url.replace(`${redis.port}`, `${(address.address() as AddressInfo).port}`);
  own(async () => {
    await client.call('REPLICAOF', 'NO', 'ONE');
    for (const socket of sockets) socket.destroy();
    address.close();
  });
  const connection = await connectTo(url);
  target = other;
  await client.call('REPLICAOF', '127.0.0.1', `${other.port}`);
  const write = () => connection.set('new master', '1').catch(String);
  expect(await write()).toMatch(/READONLY/);
  await until(write, { holds: (reply) => reply === 'OK' });
});

test('a command whose connection breaks is not sent again', async () => {
  await client.set('count', '0');
  const pid = await processIdOf(client as Redis);
  process.kill(pid, 'SIGSTOP');
  const reply = client.incr('count').catch((error: unknown) => error);
  await sleep(100);
  (client as Redis).stream.destroy();
  // Redis executes the command after the connection has broken.
  process.kill(pid, 'SIGCONT');
  expect(isRedisUnavailable(await reply)).toBe(true);
  expect(await until(() => client.get('count'))).toBe('1');
});
