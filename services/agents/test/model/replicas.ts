import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import type { Keys } from '../../src/keys.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import type { Reply, ReplyBody, Request } from './operation.ts';

/** Histories wait until the sweep has completed all outbox entries. Changes take less than `olderThanMs`. */
const SWEEP = { everyMs: 500, olderThanMs: 3_000 };

export interface Replicas {
  /** Sends a request to one of the two replicas. */
  send<Body = ReplyBody>(replica: number, request: Request): Promise<Reply<Body>>;
  redis: RedisClient;
  keys: Keys;
  prefix: string;
  close(): Promise<void>;
}

/** Starts two replicas of the service on one Redis. */
export async function startReplicas(agentTypes: readonly string[]): Promise<Replicas> {
  const prefix = uniquePrefix('model');
  const options = { prefix, env: { AGENT_TYPES: agentTypes.join(',') }, sweep: SWEEP, logLevel: 'error' };
  const replicas = await Promise.all([startService(options), startService(options)]);
  const { redis, keys } = replicas[0] as StartedService;
  const agent = new Agent({ keepAlive: true });
  return {
    send: (replica, request) => send(agent, (replicas[replica] as StartedService).port, request),
    redis,
    keys,
    prefix,
    async close() {
      agent.destroy();
      await Promise.all(replicas.map(({ close }) => close()));
    },
  };
}

/** By node:http, which costs a fraction of fetch: histories are many. */
function send<Body>(agent: Agent, port: number, { method, path, body, headers }: Request): Promise<Reply<Body>> {
  const content = body && JSON.stringify(body);
  const sent = content ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) } : {};
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...sent } }, (res) => {
      const { 'x-total-count': total, etag } = res.headers;
      const status = res.statusCode as number;
      const toReply = (received: string) =>
        resolve({ status, body: received && JSON.parse(received), etag, ...(total && { total: Number(total) }) });
      text(res).then(toReply, reject);
    });
    req.on('error', reject);
    req.end(content);
  });
}
