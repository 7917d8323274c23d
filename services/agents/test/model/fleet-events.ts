import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, toFields } from '../../src/events/stream-entry.ts';
import { difference } from './observe.ts';
import type { Replicas } from './replicas.ts';

const BATCH = 1_000;
const POLL_MS = 20;

export type FleetEvents = ReturnType<typeof readFleetEvents>;

/** Reads the fleet's stream as it grows, as it keeps fewer events than a long run makes. */
export function readFleetEvents({ redis, keys }: Pick<Replicas, 'redis' | 'keys'>) {
  const byAgent = new Map<string, object[]>();
  let last = 0;
  let closed = false;
  let failure: string | undefined;

  async function run(): Promise<void> {
    while (!closed) {
      const found = await redis.xrange(keys.fleetEvents, `${last + 1}-0`, '+', 'COUNT', BATCH);
      for (const [id, fields] of found) {
        if (numberOf(id) !== last + 1) failure = `The fleet's event ${last + 1} is missing`;
        last = numberOf(id);
        const { a = '', n, e = '' } = toFields(fields);
        byAgent.set(a, [...(byAgent.get(a) ?? []), { id: n, ...JSON.parse(e) }]);
      }
      if (found.length < BATCH) await sleep(POLL_MS);
    }
  }
  const running = run();

  return {
    /** Compares the fleet's events of an agent with its own; those of a deleted agent are undefined. */
    async problem(agentId: string, own: object[] | undefined): Promise<string | undefined> {
      const until = Number(await redis.get(keys.fleetSeq));
      while (last < until) await sleep(POLL_MS);
      const found = (byAgent.get(agentId) ?? []) as { id: string; type: string }[];
      const numbers = found.map(({ id }) => Number(id));
      return (
        failure ??
        difference(
          'numbers of the events',
          numbers,
          numbers.map((_, at) => at + 1),
        ) ??
        (own
          ? difference("the fleet's events", found, own)
          : difference('the last event', found.at(-1)?.type, 'agent.deleted'))
      );
    },

    forget(agentIds: readonly string[]): void {
      for (const agentId of agentIds) byAgent.delete(agentId);
    },

    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}
