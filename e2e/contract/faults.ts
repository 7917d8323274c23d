import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '@agent-fleet/shared/testing/until';
import { Redis } from 'ioredis';
import { ADMIN, type LocalFleet, type LocalFleetOptions } from '../harness/local-fleet.ts';

const NOTICE_TIMEOUT_MS = 30_000;
/** Long enough for two requests to come to the store while it waits. */
const SLOW_MS = 3_000;
const TAKEN_AHEAD_MS = 1_500;
/** With what is waited for before them, and the requests. */
const USED_UP_MS = 11_500;
const RATE_WINDOW_MS = 60_000;

/** What must be wrong with the system for a status to be answered; `nothing` needs no hands. */
export const FAULTS = [
  'nothing',
  'broken code',
  'spoilt data',
  'slow store',
  'used up limits',
  'stopped services',
  'babbling services',
  'lost store',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A fleet that these faults can be made in. */
export const FAULTY_FLEET: LocalFleetOptions = {
  ownRedis: true,
  nodeArgs: ['--import', fileURLToPath(new URL('./fault-injection.ts', import.meta.url))],
  env: {
    gateway: {
      UPSTREAM_TIMEOUT_SECONDS: '35',
      E2E_PROCESS: 'gateway',
      RATE_LIMIT_PER_MINUTE: '100000',
      SIGN_IN_LIMIT_PER_MINUTE: '100000',
    },
    registry: { E2E_PROCESS: 'registry' },
  },
};

/** Runs `body` under a fault of the whole system, and mends it. */
export async function underFault(fault: Fault, fleet: LocalFleet, body: () => Promise<void>): Promise<void> {
  await RUN[fault](fleet, body);
  if (fault !== 'nothing') await fleet.untilReady();
}

const RUN: Record<Fault, (fleet: LocalFleet, body: () => Promise<void>) => Promise<void>> = {
  nothing: (_fleet, body) => body(),
  // The requests themselves ask for it.
  'broken code': (_fleet, body) => body(),
  'spoilt data': withSpoiltData,
  'slow store': withSlowStore,
  'used up limits': withUsedUpLimits,
  'stopped services': ({ services: { agents, registry } }, body) =>
    agents.whilePaused(() => registry.whilePaused(body)),
  'babbling services': withBabblingServices,
  'lost store': withLostStore,
};

/** Every record and index of agents, tasks and users is replaced by a key of another type. */
async function withSpoiltData({ redisUrl, redisPrefix }: LocalFleet, body: () => Promise<void>): Promise<void> {
  const redis = new Redis(redisUrl);
  const kept = (await redis.keys(`${redisPrefix}:*`)).filter((key) => !/:\{fleet\}:sweep|:\{registry\}/.test(key));
  for (const key of kept) {
    const type = await redis.type(key);
    await redis.rename(key, `kept ${key}`);
    if (type === 'string') await redis.hset(key, 'of', 'another type');
    else await redis.set(key, 'of another type');
  }
  try {
    await body();
  } finally {
    for (const key of kept) await redis.rename(`kept ${key}`, key);
    redis.disconnect();
  }
}

/** Redis holds back whatever writes, then does it in the order in which it came. */
async function withSlowStore({ redisUrl }: LocalFleet, body: () => Promise<void>): Promise<void> {
  const redis = new Redis(redisUrl);
  await redis.call('CLIENT', 'PAUSE', SLOW_MS, 'WRITE');
  redis.disconnect();
  await body();
}

/** Nothing is left of any rate limit: the time at which the next request may come is 10 s ahead. */
async function withUsedUpLimits(fleet: LocalFleet, body: () => Promise<void>): Promise<void> {
  const { redisUrl, redisPrefix, baseUrl } = fleet;
  const redis = new Redis(redisUrl);
  // After a slow store each gateway counts for itself until a request finds the store well again.
  await redis.del(`${redisPrefix}:rate:address:127.0.0.1`);
  await until(
    async () => {
      await fetch(`${baseUrl}/api/skills?limit=1`);
      return (await redis.exists(`${redisPrefix}:rate:address:127.0.0.1`)) === 1;
    },
    { message: 'the limits hold in Redis', timeoutMs: NOTICE_TIMEOUT_MS },
  );
  const endsAt = Date.now() + USED_UP_MS;
  // What gateways have taken ahead they give back first.
  await sleep(TAKEN_AHEAD_MS);
  const use = (name: string) =>
    redis.set(`${redisPrefix}:rate:${name}`, (endsAt + RATE_WINDOW_MS) * 1_000, 'PX', RATE_WINDOW_MS);
  await Promise.all(
    [`principal:key:e2e`, `principal:user:${ADMIN.email}`, 'address:127.0.0.1', 'sign-in:127.0.0.1'].map(use),
  );
  try {
    await body();
  } finally {
    for (const key of await redis.keys(`${redisPrefix}:rate:*`)) await redis.del(key);
    await sleep(endsAt - Date.now());
    redis.disconnect();
  }
}

/** In the services' places stands what does not speak HTTP. */
async function withBabblingServices(
  { services: { agents, registry } }: LocalFleet,
  body: () => Promise<void>,
): Promise<void> {
  const services = [agents, registry];
  await Promise.all(services.map((service) => service.kill()));
  const babblers = await Promise.all(services.map(({ port }) => babble(port)));
  try {
    await body();
  } finally {
    await Promise.all(babblers.map((babbler) => babbler.close()));
    await Promise.all(services.map((service) => service.start()));
  }
}

async function babble(port: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => sockets.delete(socket)).on('data', () => socket.end('blah blah blah\r\n\r\n'));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Redis and the registry are gone: the registry needs no Redis to answer. */
async function withLostStore(
  { redis, services: { registry }, baseUrl }: LocalFleet,
  body: () => Promise<void>,
): Promise<void> {
  await Promise.all([redis?.kill(), registry.kill()]);
  try {
    // The gateway asks only so often.
    await until(async () => !(await fetch(`${baseUrl}/ready`)).ok, {
      message: '/ready notices',
      timeoutMs: NOTICE_TIMEOUT_MS,
    });
    await body();
  } finally {
    await redis?.restart();
    await registry.start();
  }
}
