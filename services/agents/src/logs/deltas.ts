import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { LRUCache } from 'lru-cache';
import { leaseLost, requireRef } from '../contract/leases.ts';
import { leaseNotFound } from '../contract/parameters.ts';
import { createTopics } from '../events/topics.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { sendDelta } from './contract.ts';

const MAX_A_SECOND = 10;
const WINDOW_MS = 1_000;
const MAX_LEASES = 10_000;

export type Deltas = ReturnType<typeof createDeltas>;

/** Passes live text from workers to clients that follow a log, over Redis' publish and subscribe: nothing is stored. */
export function createDeltas(context: FleetContext) {
  const { config, keys, redis, logger } = context;
  const checkLease = loadFleetScript(context, 'logs/check-lease');
  /** Of a lease on this replica, in the present second. */
  const counts = new LRUCache<string, number>({ max: MAX_LEASES, ttl: WINDOW_MS });
  const topics = createTopics<(json: string) => void>();
  const subscriber = connectRedis(config.redis.url, logger);
  subscriber.on('message', (channel, delta) => {
    for (const listener of topics.of(channel)) listener(delta);
  });
  // It subscribes again when it has connected again.
  const ignore = () => {};

  return {
    async send({ params, body }: Input<typeof sendDelta>): Promise<Reply> {
      const { token, call_id = null, text } = body;
      const { agentId, taskId, number } = requireRef(params);
      const holder = `${params.lease_id} ${token}`;
      const count = (counts.get(holder) ?? 0) + 1;
      if (count > MAX_A_SECOND) throw tooMany();
      counts.set(holder, count, { noUpdateTTL: true });
      const [outcome] = await checkLease({ agent: agentId, task: taskId, lease: number }, token);
      if (outcome !== 'held') throw outcome === 'lost' ? leaseLost() : leaseNotFound();
      await redis.publish(keys.deltas(taskId), JSON.stringify({ call_id, text }));
      return { status: 204 };
    },

    /** Calls `listener` with each delta of a task, until the returned function is called. */
    on(taskId: string, listener: (json: string) => void): () => void {
      const channel = keys.deltas(taskId);
      const off = topics.on(channel, listener);
      subscriber.subscribe(channel).catch(ignore);
      return () => {
        off();
        if ([...topics.of(channel)].length === 0) subscriber.unsubscribe(channel).catch(ignore);
      };
    },

    async close(): Promise<void> {
      subscriber.disconnect();
    },
  };
}

function tooMany() {
  const message = `A task passes on at most ${MAX_A_SECOND} deltas a second`;
  return httpError('rate_limited', message, { headers: { 'retry-after': '1' }, rejectedBy: 'deltas' });
}
