import { numberOf, type StreamEntry } from '@agent-fleet/shared/redis/stream-reader';
import type { LeaseRef } from '../contract/ids.ts';
import { toFields } from '../events/event.ts';
import type { StreamItem, StreamPage } from '../events/stream-client.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { LogEntry, LogEntryInput } from './contract.ts';

/** Bytes of text that one script stores: 256 KiB take about 1 ms. */
const MAX_STEP_BYTES = 256 * 1024;
/** Entries per read: at most 400 KiB of text. */
const READ_STEP = 25;

/** An entry and its served JSON. */
export interface StoredLogEntry extends StreamItem {
  json: string;
}

export type LogStore = ReturnType<typeof createLogStore>;

export function createLogStore(context: FleetContext) {
  const { redis, keys } = context;
  const addLogEntries = loadFleetScript(context, 'logs/add-log-entries');

  /** The number of the last entry, 0 before the first. */
  async function readLast(taskId: string): Promise<number> {
    const [last] = await redis.xrevrange(keys.logs(taskId), '+', '-', 'COUNT', 1);
    return last ? numberOf(last[0]) : 0;
  }

  return {
    readLast,

    /** Appends entries for the holder of a lease, many large ones in steps, each of which checks the lease. */
    async add(ref: LeaseRef, token: string, entries: readonly LogEntryInput[]): Promise<'added' | 'missing' | 'lost'> {
      for (let from = 0; from < entries.length; ) {
        const step = entries.slice(from, findStepEnd(entries, from));
        const args = {
          agent: ref.agentId,
          task: ref.taskId,
          lease: ref.number,
          entries: step.map(({ at, level, stream }) => ({
            at: at ? Date.parse(at) : undefined,
            level,
            stream: stream ?? '',
          })),
        };
        const [outcome] = await addLogEntries(args, token, ...step.map(({ text }) => text));
        if (outcome !== 'added') return outcome as 'missing' | 'lost';
        from += step.length;
      }
      return 'added';
    },

    /**
     * Reads up to `limit` entries after a number, or fewer with about `maxBytes` of text. If entries were dropped after
     * that number, one that says so comes first.
     */
    async read(taskId: string, after: number, limit: number, maxBytes: number): Promise<StreamPage<StoredLogEntry>> {
      const entries: StreamEntry[] = [];
      let bytes = 0;
      let next = after;
      let isLast = false;
      while (!isLast && entries.length < limit && bytes < maxBytes) {
        const count = Math.min(READ_STEP, limit - entries.length);
        const found = await redis.xrange(keys.logs(taskId), `${next + 1}-0`, '+', 'COUNT', count);
        for (const [id, fields] of found) {
          next = numberOf(id);
          bytes += Buffer.byteLength(fields.at(-1) as string);
          entries.push([id, fields]);
        }
        isLast = found.length < count;
      }
      const items = entries.map(toStored);
      const [first] = items;
      // After a loss of Redis' last writes, numbers are used again.
      if (!first) return { items, next: after === 0 ? 0 : Math.min(after, await readLast(taskId)), isLast };
      if (first.number === after + 1) return { items, next, isLast };
      items.unshift(toDropped(first.number - 1, entries[0] as StreamEntry));
      if (items.length <= limit) return { items, next, isLast };
      return { items: items.slice(0, limit), next: (items[limit - 1] as StoredLogEntry).number, isLast: false };
    },
  };
}

function findStepEnd(entries: readonly LogEntryInput[], from: number): number {
  let bytes = 0;
  for (let at = from; at < entries.length; at++) {
    bytes += Buffer.byteLength(entries[at]?.text ?? '');
    if (at > from && bytes > MAX_STEP_BYTES) return at;
  }
  return entries.length;
}

function toStored([id, list]: StreamEntry): StoredLogEntry {
  const { m, l, s, x } = toFields(list);
  const number = numberOf(id);
  const at = new Date(Number(m)).toISOString();
  const entry = { id: number, at, level: l, stream: s || null, text: x } as LogEntry;
  return { number, json: JSON.stringify(entry) };
}

/** Says that the entries up to a number were dropped; `first` is the one after them. */
function toDropped(number: number, [, list]: StreamEntry): StoredLogEntry {
  const text = `${number} earlier entries were dropped`;
  const at = new Date(Number(toFields(list).m)).toISOString();
  const entry: LogEntry = { id: number, at, level: 'warn', stream: 'system', text };
  return { number, json: JSON.stringify(entry) };
}
