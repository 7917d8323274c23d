import { randomUUID } from 'node:crypto';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { type RunningServer, serve } from '@agent-fleet/shared/http/serve';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import supertest from 'supertest';
import { readGatewayConfig } from '../../src/config.ts';
import { createGateway, type GatewayOverrides } from '../../src/gateway.ts';
import { answersAfterFin } from '../../src/processes/serve-gateway.ts';
import { commonHeaders } from '../../src/response-headers.ts';
import { AGENT_OPERATIONS, REGISTRY_OPERATIONS, startService } from './service.ts';
import { withUpstreams } from './upstreams.ts';

export const SECRET = 'a secret of at least thirty-two bytes';
export const EMAIL = 'admin@example.com';
export const PASSWORD = 'correct horse battery';
export const API_KEY = 'key-of-the-ci-0123456789';
export const INTERNAL_TOKEN = 'internal-token-0123456789';

export interface TestGateway {
  url: string;
  prefix: string;
  server: RunningServer;
  /** What Prometheus would read. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

const silent: Logger = createLogger('gateway', 'silent');

/** Starts the gateway on a free port, with its own prefix in a real Redis; `env` is added to its environment. */
export async function startGateway(
  env: Record<string, string> = {},
  logger = silent,
  overrides: GatewayOverrides = {},
): Promise<TestGateway> {
  const config = readGatewayConfig({
    REDIS_URL: process.env.TEST_REDIS_URL,
    REDIS_PREFIX: `test-${randomUUID().slice(0, 18)}`,
    JWT_SECRET: SECRET,
    API_KEYS: `ci:${API_KEY}`,
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: PASSWORD,
    INTERNAL_TOKEN,
    SIGN_IN_LIMIT_PER_MINUTE: '0',
    ...withUpstreams(env),
  });
  const gateway = createGateway(config, logger, overrides);
  const server = await serve(gateway.app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: gateway.lifecycle,
    createScheduler: gateway.createScheduler,
    commonHeaders,
    answersAfterFin,
    drainSeconds: 0,
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    prefix: config.redis.prefix,
    server,
    metrics: async () => (await supertest(gateway.metricsApp).get('/metrics')).text,
    async close() {
      gateway.stop(0);
      await server.close();
      await gateway.close();
    },
  };
}

export interface Fleet {
  gateway: TestGateway;
  url: string;
  /** URL of the service in the place of the registry. */
  registry: string;
  redis: RedisClient;
  close(): Promise<void>;
}

/** The gateway before two small services, ready. */
export async function startFleet(env: Record<string, string> = {}, logger = silent): Promise<Fleet> {
  const services = await Promise.all([startService(AGENT_OPERATIONS), startService(REGISTRY_OPERATIONS)]);
  const [agents, registry] = services.map(({ port }) => `http://127.0.0.1:${port}`) as [string, string];
  const gateway = await startGateway({ AGENTS_URL: agents, REGISTRY_URL: registry, ...env }, logger);
  const redis = connectRedis(process.env.TEST_REDIS_URL as string, silent, { enableOfflineQueue: true });
  await until(async () => (await fetch(`${gateway.url}/ready`)).status === 200);
  return {
    gateway,
    url: gateway.url,
    registry,
    redis,
    async close() {
      await gateway.close();
      await Promise.all(services.map((service) => service.close()));
      redis.disconnect();
    },
  };
}

/** A URL on which nothing listens. */
export async function nowhere(scheme = 'http'): Promise<string> {
  return `${scheme}://127.0.0.1:${await freePort()}`;
}

export function signIn(url: string, username = EMAIL, password = PASSWORD): Promise<Response> {
  return fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ username, password }) });
}

export async function getToken(url: string): Promise<string> {
  const answer = (await (await signIn(url)).json()) as { access_token: string };
  return answer.access_token;
}
