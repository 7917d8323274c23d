import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import supertest from 'supertest';
import { readAgentsConfig } from '../src/config.ts';
import { createKeys, type Keys } from '../src/keys.ts';
import { type AgentsService, createService } from '../src/service.ts';

const quiet = createLogger('test', 'silent');

export interface StartedService {
  http: ReturnType<typeof supertest>;
  /** Where it listens, for what supertest cannot do. */
  url: string;
  service: AgentsService;
  /** A connection of the test's own. */
  redis: RedisClient;
  keys: Keys;
  prefix: string;
  close(): Promise<void>;
}

interface StartOptions {
  redisUrl?: string;
  prefix?: string;
  env?: NodeJS.ProcessEnv;
  sweep?: { everyMs: number; olderThanMs: number };
  drainMs?: number;
}

/** The real service on a real Redis, under key names of its own. */
export async function startService(options: StartOptions = {}): Promise<StartedService> {
  const redisUrl = options.redisUrl ?? testRedisUrl();
  const prefix = options.prefix ?? uniquePrefix('agents');
  const config = readAgentsConfig({ REDIS_URL: redisUrl, REDIS_PREFIX: prefix, ...options.env });
  const { sweep, drainMs } = options;
  const service = createService(config, { logger: quiet, ...(sweep && { sweep }), ...(drainMs && { drainMs }) });
  const redis = connectRedis(redisUrl, quiet);
  await waitForRedis(redis, 60_000);
  const server = await serve(service.app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: service.lifecycle,
    drainSeconds: 0,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const http = supertest(url);
  const deadline = Date.now() + 60_000;
  while ((await http.get('/ready')).status !== 200) {
    if (Date.now() > deadline) throw new Error('The service does not become ready');
  }
  return {
    http,
    url,
    service,
    redis,
    keys: createKeys(prefix),
    prefix,
    async close() {
      service.endOpenRequests();
      await server.close();
      await service.close();
      redis.disconnect();
    },
  };
}
