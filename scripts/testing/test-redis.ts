import { rmSync } from 'node:fs';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { Redis } from 'ioredis';
import { findRedis, type RedisServerOptions, startRedis } from '../local/redis-server.ts';

/** A Redis that a test may kill and restart; `url` stays the same. */
export interface TestRedis {
  url: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
  /** After `kill` or `stop`: the same server again, on the same port and data. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/**
 * Arguments of a master or replica: replicas are linked at once, a stopped master does not wait for them, and writes
 * are refused while fewer than `minReplicas` replicas are linked.
 */
export function replicationArgs(minReplicas: number): string[] {
  const settings = {
    'repl-diskless-sync-delay': 0,
    'shutdown-timeout': 0,
    'min-replicas-to-write': minReplicas,
    'min-replicas-max-lag': 10,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** Whether a server has its replicas or its master, by its `INFO replication`. */
export function isLinked(replication: string, minReplicas: number): boolean {
  const [, good = minReplicas] = /min_slaves_good_slaves:(\d+)/.exec(replication) ?? [];
  const isReplica = replication.includes('role:slave');
  return !/link_status:down|wait_bgsave/.test(replication) && (isReplica || Number(good) >= minReplicas);
}

/** A test Redis of one process. */
export interface TestServer extends TestRedis {
  /** The folder of its data. */
  dir: string;
  port: number;
  password: string;
}

/** A Redis of the test's own, for tests that kill it or change how it is configured. */
export async function startTestRedis(options: Omit<RedisServerOptions, 'dir' | 'port'> = {}): Promise<TestServer> {
  const dir = makeDataDir('fleet-redis-');
  const command = findRedis(console.info);
  let server = await startRedis(command, { ...options, dir });
  const { url, port, password } = server;
  return {
    url,
    dir,
    port,
    password,
    kill: () => server.kill(),
    stop: () => server.stop(),
    restart: async () => {
      server = await startRedis(command, { ...options, dir, port, password });
    },
    close: async () => {
      await server.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Several servers as one. Each may be killed and restarted by itself. */
export interface TestServers extends TestRedis {
  servers: readonly TestServer[];
}

/** `scheme://:password@host:port,host:port` of servers that have one password. */
export function urlOf(scheme: string, servers: readonly TestServer[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return `${scheme}://:${servers[0]?.password}@${hosts}`;
}

/** Several servers as one Redis; `connect` makes them one after each start. */
export async function joinServers(
  servers: readonly TestServer[],
  url: string,
  connect: () => Promise<void>,
): Promise<TestServers> {
  const all = async (act: (server: TestServer) => Promise<void>) => void (await Promise.all(servers.map(act)));
  const redis: TestServers = {
    url,
    servers,
    kill: () => all((server) => server.kill()),
    stop: () => all((server) => server.stop()),
    restart: async () => {
      await all((server) => server.restart());
      await connect();
    },
    close: () => all((server) => server.close()),
  };
  try {
    await connect();
  } catch (error) {
    await redis.close();
    throw error;
  }
  return redis;
}

/** Runs `body` with a connection to each server. */
export async function withConnections(
  servers: readonly TestServer[],
  body: (connections: Redis[]) => Promise<void>,
): Promise<void> {
  const connections = servers.map(({ url }) => new Redis(url));
  try {
    await body(connections);
  } finally {
    for (const connection of connections) connection.disconnect();
  }
}
