import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import { UPSTREAMS } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';
import { ADMIN, type LocalFleet } from '../harness/local-fleet.ts';
import { withRedis } from '../harness/redis.ts';

const NOTICE_TIMEOUT_MS = 30_000;
/** Long enough that two requests reach the store meanwhile. */
const SLOW_MS = 3_000;
const PREFETCH_RETURN_MS = 1_500;
/** Includes preparation and the requests. */
const EXHAUSTED_MS = 11_500;
const RATE_WINDOW_MS = 60_000;
/** A gateway refuses for as long as Redis replied, from when it has the reply: on a busy machine a little longer. */
const REPLY_MS = 1_000;
const MAX_USERS = 10_000;
/** Of agents and pending tasks of a principal. */
export const QUOTA = 1_000_000;

/** Faults of the system that some statuses need. */
export const FAULTS = [
  'broken code',
  'corrupt data',
  'slow store',
  'exhausted rate limits',
  'used up quotas',
  'stopped services',
  'services that do not speak HTTP',
  'new gateway without agents',
  'unavailable store',
] as const;
/** `nothing` works with any running system. */
export type Fault = (typeof FAULTS)[number] | 'nothing';

/** Runs `body` under a fault of the whole system, then repairs the system. */
export async function underFault(
  fault: (typeof FAULTS)[number],
  fleet: LocalFleet,
  body: () => Promise<void>,
): Promise<void> {
  await RUN[fault](fleet, body);
  await fleet.untilReady();
}

const RUN: Record<(typeof FAULTS)[number], (fleet: LocalFleet, body: () => Promise<void>) => Promise<void>> = {
  // A header of the requests injects this fault.
  'broken code': (_fleet, body) => body(),
  'corrupt data': withCorruptData,
  'slow store': withSlowStore,
  'exhausted rate limits': withExhaustedLimits,
  'used up quotas': withUsedUpQuotas,
  'stopped services': ({ services }, body) =>
    UPSTREAMS.reduce((run, name) => () => services[name].whilePaused(run), body)(),
  'services that do not speak HTTP': withServicesWithoutHttp,
  'new gateway without agents': withNewGateway,
  'unavailable store': withUnavailableStore,
};

/**
 * Replaces all records and indexes of agents, tasks, users, API keys and sessions, and the audit trail, by keys of
 * another type.
 */
function withCorruptData({ redisUrl, redisPrefix }: LocalFleet, body: () => Promise<void>): Promise<void> {
  return withRedis(redisUrl, async (redis) => {
    /** Resolves with whether the key was still there: some expire. */
    const rename = (from: string, to: string) =>
      redis.rename(from, to).then(
        () => true,
        (error: Error) => {
          if (error.message.includes('no such key')) return false;
          throw error;
        },
      );
    /** In the slot of the key. */
    const toKept = (key: string) => (key.includes('{') ? `kept ${key}` : `kept {${key}}`);
    const kept = (await redis.keys(`${redisPrefix}:*`)).filter(
      (key) => !/:\{default\}:background|:\{registry\}|:\{auth\}:(layout|changes?)$/.test(key),
    );
    for (const key of kept) {
      const type = await redis.type(key);
      if (!(await rename(key, toKept(key)))) continue;
      if (type === 'string') await redis.hset(key, 'of', 'another type');
      else await redis.set(key, 'of another type');
    }
    try {
      await body();
    } finally {
      for (const key of kept) if (!(await rename(toKept(key), key))) await redis.del(key);
    }
  });
}

/** Redis delays writes and then executes them in order. */
async function withSlowStore({ redisUrl }: LocalFleet, body: () => Promise<void>): Promise<void> {
  await withRedis(redisUrl, async (redis) => {
    await redis.call('CLIENT', 'PAUSE', SLOW_MS, 'WRITE');
  });
  await body();
}

/** Exhausts every rate limit: the next request is allowed in 10 s. */
function withExhaustedLimits(fleet: LocalFleet, body: () => Promise<void>): Promise<void> {
  const { redisUrl, redisPrefix, baseUrl } = fleet;
  return withRedis(redisUrl, async (redis) => {
    // After a slow store, a gateway counts locally until a request reaches the store again.
    await redis.del(`${redisPrefix}:rate:address:127.0.0.1`);
    const isCounted = async () => {
      await fetch(`${baseUrl}/api/skills?limit=1`);
      return (await redis.exists(`${redisPrefix}:rate:address:127.0.0.1`)) === 1;
    };
    await until(isCounted, { message: 'the limits hold in Redis', timeoutMs: NOTICE_TIMEOUT_MS });
    const endsAt = Date.now() + EXHAUSTED_MS;
    // Gateways first return the quota that they have reserved.
    await sleep(PREFETCH_RETURN_MS);
    const limits = ['principal:key:e2e', `principal:user:${ADMIN.email}`, 'address:127.0.0.1', 'sign-in:127.0.0.1'];
    for (const name of limits) {
      await redis.set(`${redisPrefix}:rate:${name}`, (endsAt + RATE_WINDOW_MS) * 1_000, 'PX', RATE_WINDOW_MS);
    }
    try {
      await body();
    } finally {
      for (const key of await redis.keys(`${redisPrefix}:rate:*`)) await redis.del(key);
      await sleep(endsAt + REPLY_MS - Date.now());
    }
  });
}

/** As many agents and tasks of the API key, and as many users, as there may be. */
function withUsedUpQuotas({ redisUrl, redisPrefix }: LocalFleet, body: () => Promise<void>): Promise<void> {
  return withRedis(redisUrl, async (redis) => {
    const [usage = ''] = await redis.keys(`${redisPrefix}:{default}:usage`);
    const { users } = createIdentityKeys(redisPrefix);
    const ids = Array.from({ length: MAX_USERS }, (_, at) => `none-${at}`);
    const use = async (change: number) => {
      for (const what of ['agents', 'tasks']) await redis.hincrby(usage, `${what} key:e2e`, change);
    };
    await use(QUOTA);
    await redis.zadd(users, ...ids.flatMap((id) => [0, id]));
    try {
      await body();
    } finally {
      await redis.zrem(users, ...ids);
      await use(-QUOTA);
    }
  });
}

/** Servers that do not speak HTTP replace the services. */
async function withServicesWithoutHttp(fleet: LocalFleet, body: () => Promise<void>): Promise<void> {
  const services = UPSTREAMS.map((name) => fleet.services[name]);
  await Promise.all(services.map((service) => service.kill()));
  const servers = await Promise.all(services.map(({ port }) => serveInvalidHttp(port)));
  try {
    await body();
  } finally {
    for (const server of servers) server.close().closeAllConnections();
    await Promise.all(services.map((service) => service.start()));
  }
}

async function serveInvalidHttp(port: number): Promise<Server> {
  const server = createServer(({ socket }) => void socket.end('blah blah blah\r\n\r\n'));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

/** A gateway that has started while the agents service does not run. */
async function withNewGateway({ services: { gateway, agents } }: LocalFleet, body: () => Promise<void>): Promise<void> {
  await Promise.all([gateway.kill(), agents.kill()]);
  await gateway.start();
  try {
    await body();
  } finally {
    await agents.start();
  }
}

/** Stops Redis and all services except agents, the one that responds 503 without Redis. */
async function withUnavailableStore(
  { redis, services, baseUrl }: LocalFleet,
  body: () => Promise<void>,
): Promise<void> {
  const killed = UPSTREAMS.filter((name) => name !== 'agents').map((name) => services[name]);
  await Promise.all([redis?.kill(), ...killed.map((service) => service.kill())]);
  try {
    // The gateway caches its readiness.
    const isUnready = async () => !(await fetch(`${baseUrl}/ready`)).ok;
    await until(isUnready, { message: '/ready notices', timeoutMs: NOTICE_TIMEOUT_MS });
    await body();
  } finally {
    await redis?.restart();
    await Promise.all(killed.map((service) => service.start()));
  }
}
