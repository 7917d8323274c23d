import { numberOf, type StreamEntry } from '@agent-fleet/shared/redis/stream-reader';
import type { LeaseRef } from '../contract/ids.ts';
import { toFields } from '../events/event.ts';
import type { StreamItem, StreamPage } from '../events/stream-client.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { LogEntry, LogEntryInput, LogType } from './contract.ts';

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
          entries: step.map(({ at, level, stream, type }) => ({
            at: at ? Date.parse(at) : undefined,
            ...{ level, stream: stream ?? '', type },
          })),
        };
        const [outcome] = await addLogEntries(args, token, ...step.flatMap(toTexts));
        if (outcome !== 'added') return outcome as 'missing' | 'lost';
        from += step.length;
      }
      return 'added';
    },

    /**
     * Reads up to `limit` entries of these types after a number, or fewer with about `maxBytes` of text and data. If
     * entries were dropped after that number, one that says so comes first.
     */
    async read(
      taskId: string,
      after: number,
      { limit, maxBytes, types }: { limit: number; maxBytes: number; types?: readonly string[] | undefined },
    ): Promise<StreamPage<StoredLogEntry>> {
      const entries: StreamEntry[] = [];
      let first: StreamEntry | undefined;
      let bytes = 0;
      let next = after;
      let isLast = false;
      while (!isLast && entries.length < limit && bytes < maxBytes) {
        const count = types ? READ_STEP : Math.min(READ_STEP, limit - entries.length);
        const found = await redis.xrange(keys.logs(taskId), `${next + 1}-0`, '+', 'COUNT', count);
        first ??= found[0];
        isLast = found.length < count;
        for (const [at, [id, fields]] of found.entries()) {
          next = numberOf(id);
          const { x = '', y = 'log', d = '' } = toFields(fields);
          if (types && !types.includes(y)) continue;
          bytes += Buffer.byteLength(x) + Buffer.byteLength(d);
          entries.push([id, fields]);
          if (entries.length < limit || at === found.length - 1) continue;
          isLast = false;
          break;
        }
      }
      const items = entries.map(toStored);
      // After a loss of Redis' last writes, numbers are used again.
      if (!first) return { items, next: after === 0 ? 0 : Math.min(after, await readLast(taskId)), isLast };
      const number = numberOf(first[0]);
      if (number === after + 1 || types) return { items, next, isLast };
      items.unshift(toDropped(number - 1, first));
      if (items.length <= limit) return { items, next, isLast };
      return { items: items.slice(0, limit), next: (items[limit - 1] as StoredLogEntry).number, isLast: false };
    },
  };
}

const toTexts = ({ text = '', data }: LogEntryInput) => [text, data ? JSON.stringify(data) : ''];

function findStepEnd(entries: readonly LogEntryInput[], from: number): number {
  let bytes = 0;
  for (let at = from; at < entries.length; at++) {
    for (const text of toTexts(entries[at] as LogEntryInput)) bytes += Buffer.byteLength(text);
    if (at > from && bytes > MAX_STEP_BYTES) return at;
  }
  return entries.length;
}

function toStored([id, list]: StreamEntry): StoredLogEntry {
  const { m, l, s, x, y = 'log', d } = toFields(list);
  const number = numberOf(id);
  const at = new Date(Number(m)).toISOString();
  const entry = { id: number, at, level: l, stream: s || null, type: y as LogType, text: x };
  return { number, json: `${JSON.stringify(entry).slice(0, -1)},"data":${d || 'null'}}` };
}

/** Says that the entries up to a number were dropped; `first` is the one after them. */
function toDropped(number: number, [, list]: StreamEntry): StoredLogEntry {
  const text = `${number} earlier entries were dropped`;
  const at = new Date(Number(toFields(list).m)).toISOString();
  const entry: LogEntry = { id: number, at, level: 'warn', stream: 'system', type: 'log', text, data: null };
  return { number, json: JSON.stringify(entry) };
}
