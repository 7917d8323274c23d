import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis, type TestServer, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { until } from '../testing/until.ts';
import { connectRedis, type RedisClient, waitForRedis } from './connection.ts';
import { masterOf, masterOfMost } from './newest-master.ts';

const password = 'x'.repeat(32);

async function start(...args: string[]): Promise<TestServer> {
  const server = await startTestRedis({ password, args });
  own(server.close);
  return server;
}

/** Connects by sentinels at `hosts`. */
function connectBy(hosts: string, options?: Parameters<typeof connectRedis>[2]): RedisClient {
  const url = `redis+sentinel://:${password}@${hosts}/fleet`;
  const client = connectRedis(url, createLogger('test', 'silent'), options);
  own(() => client.disconnect());
  return client;
}

/** A sentinel that knows no other one. */
async function startSentinel(master: TestServer): Promise<TestServer> {
  const sentinel = await start('--sentinel');
  await withConnections([sentinel], async ([redis]) => {
    await redis?.call('SENTINEL', 'MONITOR', 'fleet', '127.0.0.1', master.port, 1);
    await redis?.call('SENTINEL', 'SET', 'fleet', 'auth-pass', password);
  });
  return sentinel;
}

async function failOver(sentinel: TestServer, replica: TestServer): Promise<void> {
  const roleOf = async (redis: Redis) => (await redis.role())[0];
  await withConnections([sentinel, replica], async ([asked, promoted]) => {
    if (!asked || !promoted) return;
    const knowsReplicas = async () => String(await asked.call('SENTINEL', 'MASTER', 'fleet')).includes('num-slaves,2');
    await until(knowsReplicas, { message: 'the sentinel knows both replicas' });
    await until(() => asked.call('SENTINEL', 'FAILOVER', 'fleet'));
    await until(async () => (await roleOf(promoted)) === 'master');
    const name = async () => String(await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'fleet'));
    await until(async () => (await name()).includes(`${replica.port}`), { message: 'the sentinel names the replica' });
  });
}

test('of several sentinels, the one that has seen the last failover is believed, also while it goes on', async () => {
  const args = ['--repl-diskless-sync-delay', '0'];
  const other = start(...args, '--replica-priority', '0');
  const [former, failed, ...replicas] = await Promise.all([start(), start(), start(...args), other]);
  const [replica] = replicas;
  await withConnections(replicas, async (all) => {
    await Promise.all(all.map((redis) => redis.replicaof('127.0.0.1', failed.port)));
  });
  const [outdated, informed] = await Promise.all([former, failed].map(startSentinel));
  if (!outdated || !informed) throw new Error('There is no sentinel');
  await failOver(informed, replica);
  const hosts = [outdated, informed].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const client = connectBy(hosts);
  await waitForRedis(client, 10_000);
  expect(masterOf(client)).toBe(`127.0.0.1:${replica.port}`);
  await client.set('text', 'x');
  await withConnections([replica], async ([redis]) => expect(await redis?.get('text')).toBe('x'));
});

test('of several sentinels with the same configuration epoch, most are believed', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  const sentinels = await Promise.all([one, other, other].map(startSentinel));
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const client = connectBy(hosts);
  await waitForRedis(client, 10_000);
  expect(masterOf(client)).toBe(`127.0.0.1:${other.port}`);
});

test('a sentinel that has forgotten the other ones does not count as most of them', async () => {
  const master = await start();
  const { port } = await startSentinel(master);
  const named = [`127.0.0.1:${port}`, `127.0.0.1:${port},127.0.0.1:1,127.0.0.1:2`].map((hosts) =>
    masterOfMost(connectBy(hosts)),
  );
  expect(await Promise.all(named)).toEqual([`127.0.0.1:${master.port}`, undefined]);
});

test('the error says why no sentinel is reached', async () => {
  const [error] = await once(connectBy('127.0.0.1:1'), 'error');
  expect(error.message).toContain('ECONNREFUSED');
});

test('connections that ask the sentinels during a failover find the new master', async () => {
  const args = ['--repl-diskless-sync-delay', '0'];
  const [former, replica, other] = await Promise.all([
    start(),
    start(...args),
    start(...args, '--replica-priority', '0'),
  ]);
  await withConnections([replica, other], async (all) => {
    await Promise.all(all.map((redis) => redis.replicaof('127.0.0.1', former.port)));
  });
  const sentinel = await startSentinel(former);
  // Each question takes a second, as this one does not reply.
  const hanging = createServer().listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  own(() => hanging.close());
  const hosts = `127.0.0.1:${sentinel.port},127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const clients = Array.from({ length: 6 }, () => connectBy(hosts, { connectionName: 'asks' }));
  const wait = () => Promise.all(clients.map((client) => waitForRedis(client, 10_000)));
  await wait();
  await withConnections([sentinel, former, replica], async ([asked, ...masters]) => {
    const failedOver = failOver(sentinel, replica);
    failedOver.catch(() => {});
    const named = async () => String(await asked?.call('SENTINEL', 'MASTER', 'fleet')).split(',')[5];
    while ((await named()) !== String(replica.port)) {
      await Promise.all(masters.map(closeOne));
      await sleep(50);
    }
    await failedOver;
  });
  const newest = `127.0.0.1:${replica.port}`;
  const found = () => clients.every((client) => client.status === 'ready' && masterOf(client) === newest);
  expect(await until(found)).toBe(true);
});

/** Breaks off one of the connections named `asks`. */
async function closeOne(redis: Redis): Promise<void> {
  const [, id] = /^id=(\d+) .* name=asks /m.exec(String(await redis.client('LIST'))) ?? [];
  if (id) await redis.call('CLIENT', 'KILL', 'ID', id);
}

test('a master that is new before a connection has subscribed to its sentinel is noticed', async () => {
  const [former, next] = await Promise.all([start(), start()]);
  const sentinel = await startSentinel(former);
  const subscriptions: (() => void)[] = [];
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const server = connect(sentinel.port, '127.0.0.1');
    for (const end of [socket, server]) sockets.push(end.on('error', () => {}));
    server.pipe(socket);
    socket.on('data', (sent) => {
      if (/subscribe/i.test(String(sent))) subscriptions.push(() => server.write(sent));
      else server.write(sent);
    });
    socket.on('close', () => server.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  own(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  const client = connectBy(`127.0.0.1:${port}`);
  await waitForRedis(client, 10_000);
  await until(() => subscriptions.length > 0);
  await withConnections([sentinel], async ([redis]) => {
    await redis?.call('SENTINEL', 'REMOVE', 'fleet');
    await redis?.call('SENTINEL', 'MONITOR', 'fleet', '127.0.0.1', next.port, 1);
  });
  for (const subscribe of subscriptions.splice(0)) subscribe();
  await until(() => masterOf(client) === `127.0.0.1:${next.port}`);
  await until(() => client.status === 'ready');
  expect(await client.ping()).toBe('PONG');
});

test('a sentinel that refuses a subscription after a reconnection is asked again', async () => {
  const master = await start();
  const sentinel = await startSentinel(master);
  connectBy(`127.0.0.1:${sentinel.port}`);
  await withConnections([sentinel], async ([redis]) => {
    const isSubscribed = async () => /\bsub=1\b/.test(String(await redis?.client('LIST')));
    await until(isSubscribed, { message: 'it is subscribed' });
    await redis?.call('ACL', 'SETUSER', 'default', '-subscribe');
    await redis?.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const refused = async () => String(await redis?.call('ACL', 'LOG')).includes('subscribe');
    await until(refused, { message: 'a subscription was refused' });
    await redis?.call('ACL', 'SETUSER', 'default', '+@all');
    expect(await until(isSubscribed, { message: 'it is subscribed again' })).toBe(true);
  });
});
