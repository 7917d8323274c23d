import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';
import { connectReads, connectRedis, type RedisClient } from './connection.ts';
import { masterOf } from './newest-master.ts';
import { ReplicatedWrites } from './replicated-writes.ts';

/** How long a server may take to respond until it counts as unavailable. */
const RESPONSE_MS = 500;

/** Commands that write nothing, and so may be sent twice. */
export type RedisReads = Pick<
  RedisClient,
  | 'call'
  | 'eval'
  | 'eval_ro'
  | 'evalsha'
  | 'exists'
  | 'get'
  | 'hget'
  | 'hgetall'
  | 'hkeys'
  | 'hlen'
  | 'hmget'
  | 'hrandfield'
  | 'hscan'
  | 'hscanBuffer'
  | 'llen'
  | 'lrange'
  | 'mget'
  | 'publish'
  | 'scard'
  | 'smembers'
  | 'srandmember'
  | 'xlen'
  | 'xrange'
  | 'xrevrange'
  | 'zcard'
  | 'zcount'
  | 'zlexcount'
  | 'zmscore'
  | 'zrange'
  | 'zrangebylex'
  | 'zrangebyscore'
  | 'zrevrange'
  | 'zscore'
> &
  Pick<RedisClient, 'isCluster' | 'status'>;

/** How a service uses Redis: reads wait for a failover, writes for their replicas. */
export interface RedisStore {
  redis: RedisReads;
  writes: ReplicatedWrites;
}

/** A store and its two connections. */
export interface OpenStore extends RedisStore {
  reader: RedisClient;
  writer: RedisClient;
  /** Whether both are connected. */
  isReady(): boolean;
  close(): void;
}

/** `barrierKey`: see `ReplicatedWrites`. */
export function openStore(
  url: string,
  logger: Logger,
  replication?: { minReplicas: number; barrierKey: string },
): OpenStore {
  const [reader, writer] = [connectReads(url), connectRedis(url, logger)];
  // A cluster finds its masters by itself.
  if (!reader.isCluster) keepTogether(reader as Redis, writer as Redis);
  return {
    redis: reader,
    writes: new ReplicatedWrites(writer, replication),
    reader,
    writer,
    isReady: () => reader.status === 'ready' && writer.status === 'ready',
    close() {
      for (const client of [reader, writer]) client.disconnect();
    },
  };
}

/** Whether the server of a key responds to a read now: `ok` or `unavailable`. */
export async function checkRedis(store: OpenStore, key: string): Promise<'ok' | 'unavailable'> {
  // A read would wait for the connection.
  if (!store.isReady()) return 'unavailable';
  const reply = store.redis.exists(key).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return Promise.race([reply, sleep(RESPONSE_MS, 'unavailable' as const, { ref: false })]);
}

/** A store that does all on one connection. */
export function storeOn(redis: RedisClient): RedisStore {
  return { redis, writes: new ReplicatedWrites(redis) };
}

/** After a failover, one of them may stay with the former master, which would serve old records. */
function keepTogether(reads: Redis, writes: Redis): void {
  let isFirst = true;
  writes.on('ready', () => {
    const master = masterOf(writes);
    // Without sentinels, another server may have the address now.
    const mayDiffer = master === undefined ? !isFirst : master !== masterOf(reads);
    if (reads.status === 'ready' && mayDiffer) reads.disconnect(true);
    isFirst = false;
  });
  // It has asked the sentinels later.
  reads.on('ready', () => {
    if (writes.status === 'ready' && masterOf(writes) !== masterOf(reads)) writes.disconnect(true);
  });
}
