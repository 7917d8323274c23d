import type { Command } from '../lock.ts';
import type { Context } from './keys.ts';

const EVENTS_PER_STEP = 500;

/** An event of 1.0. */
export interface OldEvent {
  number: number;
  /** `''` for an event of the agent itself. */
  taskId: string;
  /** The task's next deadline in ms after the event; 0: none. */
  due: number;
  /** Fields of the new stream entry that the streams of the agent and of the fleet share. */
  fields: string[];
}

/** Converts an entry of the stream of an agent or of the fleet. */
export function toOldEvent([id, list]: [string, string[]]): OldEvent & Record<'a' | 'n', string> {
  const { e = '{}', t = '', d = '0', a = '', n = '' } = toRecord(list);
  const { type, status = '', at, data } = JSON.parse(e);
  const fields = ['y', type, 't', t, 's', status, 'm', `${Date.parse(at)}`, 'd', data ? JSON.stringify(data) : ''];
  return { number: Number.parseInt(id, 10), taskId: t, due: Number(d), fields, a, n };
}

function toRecord(list: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] as string]] : [])));
}

export type FleetEvents = ReturnType<typeof createFleetEvents>;

/** Moves the fleet's events, and adds those of agents that 1.0 had not added when its process crashed. */
export function createFleetEvents({ redis, old, keys, write }: Context) {
  const [stream, counter] = [keys.of('events'), keys.of('event')];
  let adding = Promise.resolve();

  const toCommand = (number: number, agentId: string, { number: own, fields }: OldEvent): Command => {
    return ['XADD', stream, `${number}-0`, 'a', agentId, 'n', own, ...fields];
  };

  async function add(agentId: string, events: readonly OldEvent[]): Promise<void> {
    const last = Number(await redis.get(counter));
    await write([
      ...events.map((event, at) => toCommand(last + 1 + at, agentId, event)),
      ['SET', counter, last + events.length],
      ['HSET', keys.progress, agentId, events.at(-1)?.number ?? 0],
    ]);
  }

  return {
    /** Continues after the last event that is copied. */
    async copy(): Promise<void> {
      const [copied] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1);
      let last = Number.parseInt(copied?.[0] ?? '0', 10);
      for (;;) {
        const found = await redis.xrange(old.fleet('events'), `${last + 1}-0`, '+', 'COUNT', EVENTS_PER_STEP);
        if (found.length === 0) break;
        const events = found.map(toOldEvent);
        await write(events.map((event) => toCommand(event.number, event.a, { ...event, number: Number(event.n) })));
        last = events.at(-1)?.number ?? last;
      }
      await write([['SET', counter, Math.max(last, Number(await redis.get(old.fleet('seq'))))]]);
    },

    /** Adds the events of an agent that the fleet's do not have, and returns them. */
    async addMissing(agentId: string, events: readonly OldEvent[]): Promise<readonly OldEvent[]> {
      const [indexed, added] = await Promise.all([
        redis.hget(old.fleet('agent-places'), agentId),
        redis.hget(keys.progress, agentId),
      ]);
      if (indexed === 'removed') return [];
      const isMissing = (after: string | null) => (event: OldEvent) => event.number > Number.parseInt(after ?? '0', 10);
      const missing = events.filter(isMissing(indexed));
      const left = missing.filter(isMissing(added));
      if (left.length > 0) {
        // One agent after the other, as they share the numbers.
        adding = adding.then(() => add(agentId, left));
        await adding;
      }
      return missing;
    },
  };
}
