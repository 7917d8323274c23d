import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@agent-fleet/shared/http/serve';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { readAgentsConfig } from '../../src/config.ts';
import { createKeys, type Keys } from '../../src/keys.ts';
import { createService } from '../../src/service.ts';
import type { Answer, AnswerBody, RequestOf } from './operations.ts';

const quiet = createLogger('test', 'silent');
const loud = createLogger('agents', 'error');
/** What a change leaves that had to give way is tidied up soon, so that a history can wait for it; changes take less than that. */
const SWEEP = { everyMs: 500, olderThanMs: 3_000 };

export interface Replicas {
  /** Sends a request to one of the two. */
  send<Body = AnswerBody>(replica: number, request: RequestOf): Promise<Answer<Body>>;
  redis: RedisClient;
  keys: Keys;
  prefix: string;
  close(): Promise<void>;
}

/** The real service twice, on one real Redis. */
export async function startReplicas(agentTypes: readonly string[]): Promise<Replicas> {
  const prefix = uniquePrefix('model');
  const env = { REDIS_URL: testRedisUrl(), REDIS_PREFIX: prefix, AGENT_TYPES: agentTypes.join(',') };
  const redis = connectRedis(env.REDIS_URL, quiet);
  await waitForRedis(redis, 60_000);
  const replicas = await Promise.all([startReplica(env), startReplica(env)]);
  const agent = new Agent({ keepAlive: true });
  return {
    send: (replica, { method, path, body, headers }) =>
      send(agent, (replicas[replica] as Replica).port, method, path, body, headers),
    redis,
    keys: createKeys(prefix),
    prefix,
    async close() {
      agent.destroy();
      await Promise.all(replicas.map(({ close }) => close()));
      redis.disconnect();
    },
  };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

async function startReplica(env: NodeJS.ProcessEnv) {
  const service = createService(readAgentsConfig(env), { logger: loud, sweep: SWEEP });
  const { app, lifecycle } = service;
  const server = await serve(app, { host: '127.0.0.1', port: 0, lifecycle, drainSeconds: 0 });
  while (!(await fetch(`http://127.0.0.1:${server.port}/ready`)).ok) await sleep(20);
  return {
    port: server.port,
    async close() {
      service.endOpenRequests();
      await server.close();
      await service.close();
    },
  };
}

function send<Body>(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const text = body && JSON.stringify(body);
  const sent = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {};
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...sent } }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const answered = Buffer.concat(chunks).toString();
        const total = res.headers['x-total-count'];
        resolve({
          status: res.statusCode as number,
          body: answered ? JSON.parse(answered) : undefined,
          etag: res.headers.etag,
          ...(total !== undefined && { total: Number(total) }),
        });
      });
    });
    req.on('error', reject);
    req.end(text);
  });
}
