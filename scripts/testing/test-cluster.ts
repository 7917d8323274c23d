import { randomBytes } from 'node:crypto';
import { until } from '@agent-fleet/shared/testing/until';
import type { Redis } from 'ioredis';
import { freePort } from '../local/ports.ts';
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

const SLOTS = 16_384;
/** A master counts as failed after this time; a replica then takes over within about two seconds. */
const NODE_TIMEOUT_MS = 2_000;
const READY_TIMEOUT_MS = 60_000;
const START_TRIES = 3;

interface ClusterOptions {
  masters?: number;
  replicas?: number;
  minReplicas?: number;
}

/** A node and its port for the other nodes. */
interface Node {
  server: TestServer;
  busPort: number;
}

/**
 * A Redis Cluster; `url` is `redis+cluster://…`. The masters share the slots evenly, each has `replicas` replicas, and
 * `restart` needs the masters of the start. `minReplicas`: see `replicationArgs`. Needs Redis 7 or newer.
 */
export async function startTestCluster(options: ClusterOptions = {}): Promise<TestServers> {
  const { masters = 1, replicas = 0, minReplicas = 0 } = options;
  const password = randomBytes(24).toString('hex');
  const count = masters * (1 + replicas);
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(password, minReplicas)));
  const servers = nodes.map(({ server }) => server);
  await withConnections(servers, (connections) => createCluster(nodes, connections, masters));
  const connect = () => withConnections(servers, (connections) => untilReady(connections, minReplicas));
  return joinServers(servers, urlOf('redis+cluster', servers), connect);
}

/** Another process may take the port for other nodes before Redis does. */
async function startNode(password: string, minReplicas: number): Promise<Node> {
  for (let tries = 1; ; tries++) {
    try {
      return await startNodeAt(await freePort(), password, minReplicas);
    } catch (error) {
      if (tries === START_TRIES) throw error;
    }
  }
}

/** By default, `busPort` is 10,000 above the port, where outgoing connections may have it. */
async function startNodeAt(busPort: number, password: string, minReplicas: number): Promise<Node> {
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': busPort,
    'cluster-announce-ip': '127.0.0.1',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return { server: await startTestRedis({ password, args: [...replicationArgs(minReplicas), ...args] }), busPort };
}

/** Each node meets all others, as gossip would take seconds. The nodes after the masters are replicas in turn. */
async function createCluster(nodes: readonly Node[], connections: readonly Redis[], masters: number): Promise<void> {
  const ids = await Promise.all(connections.map(async (redis) => String(await redis.call('CLUSTER', 'MYID'))));
  // Only a node that knows no other accepts it.
  for (const [at, redis] of connections.entries()) {
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1).catch((error: Error) => {
      // A reconnect sends it twice.
      if (!error.message.includes('already non-zero')) throw error;
    });
  }
  for (const [at, redis] of connections.entries()) {
    for (const { server, busPort } of nodes) await redis.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
    const first = (part: number) => Math.round((part * SLOTS) / masters);
    if (at < masters) await redis.call('CLUSTER', 'ADDSLOTSRANGE', first(at), first(at + 1) - 1);
  }
  for (const [at, redis] of connections.entries()) {
    if (at < masters) continue;
    const replicate = () => redis.call('CLUSTER', 'REPLICATE', String(ids[at % masters]));
    await until(replicate, { message: 'the replica knows its master', timeoutMs: READY_TIMEOUT_MS });
  }
}

async function untilReady(connections: readonly Redis[], minReplicas: number): Promise<void> {
  const isReady = async (redis: Redis) => {
    const [cluster, replication] = await Promise.all([redis.call('CLUSTER', 'INFO'), redis.info('replication')]);
    const isComplete = String(cluster).includes(`cluster_known_nodes:${connections.length}\r`);
    return isComplete && String(cluster).includes('cluster_state:ok') && isLinked(replication, minReplicas);
  };
  for (const redis of connections) {
    await until(() => isReady(redis), { message: 'the cluster is ready', timeoutMs: READY_TIMEOUT_MS });
  }
}
