import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import type { Keys } from '../../src/redis/keys.ts';
import { COUNTED, PRINCIPAL } from '../support/quotas.ts';
import { type Reply, type Request, send } from '../support/send.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import type { ReplyBody } from './operation.ts';

export interface Replicas {
  /** Sends a request to one of the two replicas. */
  send<Body = ReplyBody>(replica: number, request: Request): Promise<Reply<Body>>;
  redis: RedisClient;
  keys: Keys;
  prefix: string;
}

/** Starts two replicas of the service on one Redis. */
export async function startReplicas(agentTypes: readonly string[]): Promise<Replicas> {
  const prefix = uniquePrefix('model');
  const env = { AGENT_TYPES: agentTypes.join(','), ...COUNTED };
  const options = { prefix, env, logLevel: 'error' };
  const replicas = await Promise.all([startService(options), startService(options)]);
  const { redis, keys } = replicas[0] as StartedService;
  return {
    send: (replica, request) => {
      const headers = { ...request.headers, ...PRINCIPAL };
      return send((replicas[replica] as StartedService).port, { ...request, headers });
    },
    redis,
    keys,
    prefix,
  };
}
