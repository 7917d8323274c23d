import { createIdentityKeys, type IdentityKeys } from '@agent-fleet/access/keys';
import { own } from '@agent-fleet/scripts/testing/own';
import { ROLES, type Role } from '@agent-fleet/shared/contract/scopes';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import supertest from 'supertest';
import { readIdentityConfig } from '../../src/config.ts';
import { createService } from '../../src/service.ts';

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' };
export const INTERNAL_TOKEN = 'internal-token-0123456789';
export const JWT_SECRET = 'a secret of at least thirty-two bytes';

export type LogLine = { msg: string } & Record<string, unknown>;

export interface StartedService {
  http: ReturnType<typeof supertest>;
  url: string;
  /** A separate connection for the test. */
  redis: RedisClient;
  keys: IdentityKeys;
  prefix: string;
  /** The lines of the log so far. */
  logs: LogLine[];
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** Starts the real service on a real Redis, with its own key prefix. It ends with its test or file. */
export async function startService(env: NodeJS.ProcessEnv = {}): Promise<StartedService> {
  const config = readIdentityConfig({
    REDIS_URL: testRedisUrl(),
    REDIS_PREFIX: uniquePrefix('identity'),
    INTERNAL_TOKEN,
    JWT_SECRET,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    // Cheap hashes: tests sign in often.
    PASSWORD_HASH_MEMORY_KIB: '8192',
    PASSWORD_HASH_PASSES: '1',
    ...env,
  });
  const logs: LogLine[] = [];
  const logger = createLogger('identity', 'info', { write: (line: string) => void logs.push(JSON.parse(line)) });
  const service = createService(config, { logger });
  const redis = connectRedis(config.redis.url, createLogger('test', 'silent'));
  await waitForRedis(redis, 60_000);
  const server = await serve(service.app, {
    host: '127.0.0.1',
    port: 0,
    lifecycle: service.lifecycle,
    drainSeconds: 0,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const closeAll = async () => {
    server.server.closeAllConnections();
    await server.close();
    await service.close();
    redis.disconnect();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  own(close);
  await service.started;
  const { prefix } = config.redis;
  const keys = createIdentityKeys(prefix);
  const metrics = () => service.metrics.metrics();
  return { http: supertest(url), url, redis, keys, prefix, logs, metrics, close };
}

/** The headers of the gateway for a user with a role, or for nobody. */
export function asUser(id: string, email: string, role: Role, sessionId?: string): Record<string, string> {
  return {
    ...asNobody(),
    'x-fleet-principal': `user:${email}`,
    'x-fleet-actor-id': id,
    'x-fleet-actor-name': email,
    'x-fleet-scopes': ROLES[role].join(' '),
    ...(sessionId !== undefined && { 'x-fleet-session': sessionId }),
  };
}

export function asNobody(address = '192.0.2.1'): Record<string, string> {
  return { 'x-fleet-internal-token': INTERNAL_TOKEN, 'x-forwarded-for': address, 'x-forwarded-proto': 'http' };
}
