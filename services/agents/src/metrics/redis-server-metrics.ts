import { readOnce } from '@agent-fleet/shared/metrics/read-once';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { Cluster, type Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { INFO_SECTIONS, parseInfo, type RedisInfo } from './redis-info.ts';

/** More masters than this are not read. */
const MAX_SERVERS = 32;

const GAUGES: [name: string, help: string, value: (info: RedisInfo) => number][] = [
  ['redis_memory_used_bytes', 'Memory in use', ({ memoryUsed }) => memoryUsed],
  ['redis_memory_max_bytes', 'Memory above which writes are refused; 0: no limit', ({ memoryMax }) => memoryMax],
  ['redis_connected_clients', 'Open connections of clients', ({ clients }) => clients],
  ['redis_uptime_seconds', 'Time since the start of the server', ({ uptimeSeconds }) => uptimeSeconds],
  ['redis_connected_replicas', 'Replicas in sync', ({ replicas }) => replicas],
  ['redis_replication_lag_seconds', 'Time since the slowest replica last answered', ({ lagSeconds }) => lagSeconds],
  ['redis_replication_lag_bytes', 'How far the slowest replica is behind', ({ lagBytes }) => lagBytes],
  ['redis_aof_enabled', '1 while the append-only file is on', ({ aofEnabled }) => Number(aofEnabled)],
  ['redis_aof_healthy', '1 while its last write and rewrite succeeded', ({ aofHealthy }) => Number(aofHealthy)],
  ['redis_aof_size_bytes', 'Size of the append-only file', ({ aofBytes }) => aofBytes],
];

/** Metrics of the server, or of each master of a cluster, from `INFO` at each scrape. */
export function exposeRedisServers(registry: Registry, client: RedisClient): void {
  const readAll = readOnce(() => Promise.all(mastersOf(client).map(readServer)));
  const about = (name: string, help: string, value: (info: RedisInfo) => number) => ({
    name,
    help: `${help}; of each Redis master, from every replica: aggregate by max`,
    labelNames: ['server'],
    async read() {
      return (await readAll())?.map(([server, info]) => [{ server }, value(info)] as const);
    },
  });
  for (const gauge of GAUGES) exposeGauge(registry, about(...gauge));
  exposeCounter(
    registry,
    about('redis_commands_total', 'Executed commands', ({ commands }) => commands),
  );
  exposeCounter(
    registry,
    about('redis_aof_delayed_fsyncs_total', 'Writes that waited for the disk', ({ delayedFsyncs }) => delayedFsyncs),
  );
}

function mastersOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master').slice(0, MAX_SERVERS) : [client];
}

async function readServer(redis: Redis): Promise<readonly [server: string, RedisInfo]> {
  const info = parseInfo(await redis.info(...INFO_SECTIONS));
  // With Sentinel, the master that it names now.
  const { remoteAddress = redis.options.host, remotePort = redis.options.port } = redis.stream;
  return [`${remoteAddress}:${remotePort}`, info];
}
