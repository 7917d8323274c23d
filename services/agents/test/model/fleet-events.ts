import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { numberOf, toFields } from '../../src/events/stream-entry.ts';
import type { Keys } from '../../src/keys.ts';
import { difference } from './observe.ts';

const BATCH = 1_000;
const LOOK_EVERY_MS = 20;

/** The events of the fleet's stream by agent. */
export interface FleetEvents {
  /** Compares the fleet's events of an agent with its own; those of a deleted agent are undefined. */
  problem(agentId: string, own: Record<string, unknown>[] | undefined): Promise<string | undefined>;
  forget(agentIds: readonly string[]): void;
  close(): Promise<void>;
}

interface FleetEvent {
  number: number;
  json: string;
}

/** Reads the fleet's stream as it grows, as it keeps fewer events than a long run makes. */
export function readFleetEvents(redis: RedisClient, keys: Keys): FleetEvents {
  const byAgent = new Map<string, FleetEvent[]>();
  let last = 0;
  let closed = false;
  let failure: string | undefined;

  async function read(): Promise<void> {
    const found = await redis.xrange(keys.fleetEvents, `${last + 1}-0`, '+', 'COUNT', BATCH);
    for (const [id, fields] of found) {
      if (numberOf(id) !== last + 1) failure = `The fleet's event ${last + 1} is missing`;
      last = numberOf(id);
      const of = toFields(fields);
      const events = byAgent.get(of.a as string) ?? [];
      events.push({ number: Number(of.n), json: of.e as string });
      byAgent.set(of.a as string, events);
    }
    if (found.length < BATCH) await sleep(LOOK_EVERY_MS);
  }

  async function run(): Promise<void> {
    while (!closed) await read();
  }
  const running = run();

  return {
    async problem(agentId, own) {
      const until = Number(await redis.get(keys.fleetSeq));
      while (last < until) await sleep(LOOK_EVERY_MS);
      const events = byAgent.get(agentId) ?? [];
      const isInOrder = events.every(({ number }, at) => number === at + 1);
      if (!isInOrder) return `the fleet's events are numbered ${events.map(({ number }) => number)}`;
      const found = events.map(({ number, json }) => ({ id: String(number), ...JSON.parse(json) }));
      if (own) return failure ?? difference("the fleet's events", found, own);
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
