import { randomBytes } from 'node:crypto';
import { until } from '@agent-fleet/shared/testing/until';
import type { Redis } from 'ioredis';
import {
  joinServers,
  REPLICATION_ARGS,
  startTestRedis,
  type TestRedis,
  type TestServer,
  urlOf,
  withConnections,
} from './test-redis.ts';

const MASTER = 'fleet';
const SENTINELS = 3;
const QUORUM = 2;
const READY_TIMEOUT_MS = 60_000;
/** The replica takes over within about two seconds after the first of these times. */
const SETTINGS = { 'down-after-milliseconds': 2_000, 'failover-timeout': 3_000 };

/**
 * A master, a replica, and three sentinels that make the replica the master when the master fails; `url` is
 * `redis+sentinel://…`. `restart` needs the master of the start.
 */
export async function startTestSentinel(): Promise<TestRedis> {
  const password = randomBytes(24).toString('hex');
  const start = (count: number, args: string[]) =>
    Promise.all(Array.from({ length: count }, () => startTestRedis({ password, args })));
  const servers = await start(2, REPLICATION_ARGS);
  const sentinels = await start(SENTINELS, ['--sentinel']);
  const [master, replica] = servers as [TestServer, TestServer];
  const url = `${urlOf('redis+sentinel', sentinels)}/${MASTER}`;
  return joinServers([...servers, ...sentinels], url, async () => {
    await withConnections([replica], ([redis]) => replicate(redis as Redis, master));
    await withConnections(sentinels, (connections) => watch(connections, master));
  });
}

async function replicate(redis: Redis, { port }: TestServer): Promise<void> {
  await redis.replicaof('127.0.0.1', port);
  const isLinked = async () => (await redis.info('replication')).includes('master_link_status:up');
  await until(isLinked, { message: 'the replica is linked', timeoutMs: READY_TIMEOUT_MS });
}

/** Sentinels find replicas and each other through the master. */
async function watch(sentinels: readonly Redis[], { port, password }: TestServer): Promise<void> {
  const settings = Object.entries({ ...SETTINGS, 'auth-pass': password }).flat();
  for (const sentinel of sentinels) {
    await sentinel.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', password);
    await sentinel.call('SENTINEL', 'MONITOR', MASTER, '127.0.0.1', port, QUORUM);
    await sentinel.call('SENTINEL', 'SET', MASTER, ...settings);
  }
  const isReady = async (sentinel: Redis) => {
    const [others, replicas] = await Promise.all(
      ['SENTINELS', 'REPLICAS'].map((what) => sentinel.call('SENTINEL', what, MASTER) as Promise<unknown[]>),
    );
    const isReplicaKnown = replicas?.length === 1 && JSON.stringify(replicas).includes('"master-link-status","ok"');
    return isReplicaKnown && others?.length === SENTINELS - 1 && sentinel.call('SENTINEL', 'CKQUORUM', MASTER);
  };
  for (const sentinel of sentinels) {
    await until(() => isReady(sentinel), { message: 'the sentinel is ready', timeoutMs: READY_TIMEOUT_MS });
  }
}
