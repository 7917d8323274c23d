import { randomBytes } from 'node:crypto';
import { until } from '@agent-fleet/shared/testing/until';
import type { Redis } from 'ioredis';
import {
  isLinked,
  joinServers,
  replicationArgs,
  startTestRedis,
  type TestServer,
  type TestServers,
  urlOf,
  withConnections,
} from './test-redis.ts';

const MASTER = 'fleet';
const SENTINELS = 3;
const QUORUM = 2;
const READY_TIMEOUT_MS = 60_000;
/** The replica takes over within about two seconds after the first of these times. */
const SETTINGS = { 'down-after-milliseconds': 2_000, 'failover-timeout': 3_000 };

export interface TestSentinel extends TestServers {
  /** The server that the sentinels call the master. */
  master(): Promise<TestServer>;
  /** Resolves when each sentinel knows the others and all replicas, and these are linked. */
  untilComplete(): Promise<void>;
}

/**
 * A master, its replicas, and three sentinels that make a replica the master when the master fails; `url` is
 * `redis+sentinel://…`, and `servers` are the master, the replicas and the sentinels. `restart` needs the master of the
 * start. `minReplicas`: see `replicationArgs`.
 */
export async function startTestSentinel({ replicas = 2, minReplicas = 0 } = {}): Promise<TestSentinel> {
  const password = randomBytes(24).toString('hex');
  const start = (count: number, args: string[]) =>
    Promise.all(Array.from({ length: count }, () => startTestRedis({ password, args })));
  const servers = await start(1 + replicas, replicationArgs(minReplicas));
  const sentinels = await start(SENTINELS, ['--sentinel']);
  const [master, ...others] = servers as [TestServer, ...TestServer[]];
  const url = `${urlOf('redis+sentinel', sentinels)}/${MASTER}`;
  const untilComplete = () => withConnections(sentinels, (connections) => untilKnown(connections, replicas));
  const joined = await joinServers([...servers, ...sentinels], url, async () => {
    await withConnections(others, (connections) => replicate(connections, master));
    await withConnections(servers, (connections) => untilLinked(connections, minReplicas));
    await withConnections(sentinels, (connections) => watch(connections, master));
    await untilComplete();
  });
  return { ...joined, untilComplete, master: () => findMaster(servers, sentinels) };
}

/** Asks a sentinel that has done no less than the others. */
async function findMaster(servers: readonly TestServer[], sentinels: readonly TestServer[]): Promise<TestServer> {
  let newest = { epoch: -1, port: 0 };
  await withConnections(sentinels, async (connections) => {
    for (const sentinel of connections) {
      const fields = (await sentinel.call('SENTINEL', 'MASTER', MASTER)) as string[];
      const read = (name: string) => Number(fields[fields.indexOf(name) + 1]);
      if (read('config-epoch') > newest.epoch) newest = { epoch: read('config-epoch'), port: read('port') };
    }
  });
  return servers.find(({ port }) => port === newest.port) as TestServer;
}

async function replicate(replicas: readonly Redis[], { port }: TestServer): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.replicaof('127.0.0.1', port)));
}

async function untilLinked(connections: readonly Redis[], minReplicas: number): Promise<void> {
  for (const redis of connections) {
    const isReady = async () => isLinked(await redis.info('replication'), minReplicas);
    await until(isReady, { message: 'the server is linked', timeoutMs: READY_TIMEOUT_MS });
  }
}

/** Sentinels find replicas and each other through the master. */
async function watch(sentinels: readonly Redis[], master: TestServer): Promise<void> {
  const { port, password } = master;
  const settings = Object.entries({ ...SETTINGS, 'auth-pass': password }).flat();
  for (const sentinel of sentinels) {
    await sentinel.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', password);
    await sentinel.call('SENTINEL', 'MONITOR', MASTER, '127.0.0.1', port, QUORUM);
    await sentinel.call('SENTINEL', 'SET', MASTER, ...settings);
  }
}

async function untilKnown(sentinels: readonly Redis[], replicas: number): Promise<void> {
  const isReady = async (sentinel: Redis) => {
    const [others, known] = await Promise.all(
      ['SENTINELS', 'REPLICAS'].map((what) => sentinel.call('SENTINEL', what, MASTER) as Promise<unknown[]>),
    );
    const linked = JSON.stringify(known).match(/"master-link-status","ok"/g);
    // A replica that a sentinel does not know stays with the old master in a failover.
    const isComplete = linked?.length === replicas && others?.length === SENTINELS - 1;
    return isComplete && sentinel.call('SENTINEL', 'CKQUORUM', MASTER);
  };
  for (const sentinel of sentinels) {
    await until(() => isReady(sentinel), { message: 'the sentinel is ready', timeoutMs: READY_TIMEOUT_MS });
  }
}
