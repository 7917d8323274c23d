import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { numberOf } from '../../src/events/stream-entry.ts';
import type { Keys } from '../../src/keys.ts';
import { difference } from './observe.ts';

const BATCH = 1_000;
const LOOK_EVERY_MS = 20;

/** What the fleet's stream tells of each agent. */
export interface FleetEvents {
  /** In what the fleet's story of an agent is not the agent's own, which is undefined for a deleted one. */
  problem(agentId: string, events: Record<string, unknown>[] | undefined): Promise<string | undefined>;
  forget(agentIds: readonly string[]): void;
  close(): Promise<void>;
}

interface Told {
  number: number;
  json: string;
}

/** Reads the fleet's stream as it grows: it keeps fewer events than a long run makes. */
export function followFleetEvents(redis: RedisClient, keys: Keys): FleetEvents {
  const byAgent = new Map<string, Told[]>();
  let last = 0;
  let closed = false;
  let failure: string | undefined;

  async function read(): Promise<void> {
    const found = await redis.xrange(keys.fleetEvents, `${last + 1}-0`, '+', 'COUNT', BATCH);
    for (const [id, fields] of found) {
      if (numberOf(id) !== last + 1) failure = `The fleet's event ${last + 1} is missing`;
      last = numberOf(id);
      const of = Object.fromEntries(
        Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]]),
      );
      const told = byAgent.get(of.a as string) ?? [];
      told.push({ number: Number(of.n), json: of.e as string });
      byAgent.set(of.a as string, told);
    }
    if (found.length < BATCH) await sleep(LOOK_EVERY_MS);
  }

  async function run(): Promise<void> {
    while (!closed) await read();
  }
  const running = run();

  return {
    async problem(agentId, events) {
      const until = Number(await redis.get(keys.fleetSeq));
      while (last < until) await sleep(LOOK_EVERY_MS);
      const told = byAgent.get(agentId) ?? [];
      const isInOrder = told.every(({ number }, at) => number === at + 1);
      if (!isInOrder) return `the fleet's events are numbered ${told.map(({ number }) => number)}`;
      const found = told.map(({ number, json }) => ({ id: String(number), ...JSON.parse(json) }));
      if (events) return failure ?? difference("the fleet's events", found, events);
      return failure ?? difference('the last event', found.at(-1)?.type, 'agent.deleted');
    },

    forget(agentIds) {
      for (const agentId of agentIds) byAgent.delete(agentId);
    },

    async close() {
      closed = true;
      await running;
    },
  };
}
