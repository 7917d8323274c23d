import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import type { ReplicatedWrites } from '@agent-fleet/shared/redis/replicated-writes';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import supertest from 'supertest';
import { readAgentsConfig } from '../../src/config.ts';
import { createKeys, type Keys } from '../../src/redis/keys.ts';
import { createService } from '../../src/service.ts';
import { createClient } from './client.ts';

export interface StartedService extends ReturnType<typeof createClient> {
  http: ReturnType<typeof supertest>;
  port: number;
  url: string;
  /** A separate connection for the test. */
  redis: RedisClient;
  writes: ReplicatedWrites;
  keys: Keys;
  prefix: string;
  /** With `ownRedis` only. Restarting it also waits for `redis`. */
  ownRedis: TestRedis | undefined;
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

interface StartOptions {
  redisUrl?: string | undefined;
  /** A Redis that the test may kill or inspect; it ends with the service. */
  ownRedis?: boolean;
  prefix?: string;
  env?: NodeJS.ProcessEnv;
  /** Headers of each request. */
  headers?: Record<string, string>;
  /** How often background jobs run, in ms. */
  backgroundEveryMs?: number;
  stalledMs?: number;
  /** Default `silent`. */
  logLevel?: string;
}

/** Starts the real service on a real Redis, with its own key prefix. It ends with its test or file. */
export async function startService(options: StartOptions = {}): Promise<StartedService> {
  const { prefix = uniquePrefix('agents'), backgroundEveryMs, stalledMs, logLevel = 'silent' } = options;
  const ownRedis = options.ownRedis ? await startTestRedis() : undefined;
  const redisUrl = options.redisUrl ?? ownRedis?.url ?? testRedisUrl();
  const config = readAgentsConfig({ REDIS_URL: redisUrl, REDIS_PREFIX: prefix, ...options.env });
  const logger = createLogger('agents', logLevel);
  const overrides = { ...(backgroundEveryMs && { backgroundEveryMs }), ...(stalledMs && { stalledMs }) };
  const service = createService(config, { logger, ...overrides });
  const redis = connectRedis(redisUrl, createLogger('test', 'silent'));
  await waitForRedis(redis, 60_000);
  const restart = async () => {
    await ownRedis?.restart();
    await waitForRedis(redis, 60_000);
  };
  const { app, lifecycle } = service;
  const server = await serve(app, { host: '127.0.0.1', port: 0, lifecycle, drainSeconds: 0 });
  await service.started;
  const url = `http://127.0.0.1:${server.port}`;
  const http = options.headers ? supertest.agent(url).set(options.headers) : supertest(url);
  await until(async () => (await http.get('/ready')).status === 200, { timeoutMs: 60_000 });
  const closeAll = async () => {
    service.endOpenRequests();
    await server.close();
    await service.close();
    redis.disconnect();
    await ownRedis?.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  own(close);
  return {
    ...createClient(http),
    http,
    port: server.port,
    url,
    redis,
    writes: storeOn(redis).writes,
    keys: createKeys(prefix),
    prefix,
    ownRedis: ownRedis && { ...ownRedis, restart },
    metrics: () => service.metrics.metrics(),
    close,
  };
}
