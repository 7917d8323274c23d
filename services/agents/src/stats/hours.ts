import { LRUCache } from 'lru-cache';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { Counter } from '../tasks/task-counters.ts';

export const HOUR_MS = 3_600_000;
/** Fields per read: a busy hour has thousands, and other requests must not wait for all of them. */
const STEP = 1_000;
/** Cache of hours that have ended: only a batch that continues later may still change them. `maxSize` in bytes. */
const CACHE = { maxSize: 16 * 1024 * 1024, ttl: 60_000 };
/** When an hour counts as ended, as clocks of replicas differ. */
const ENDED_AFTER_MS = 60_000;

const COUNTERS: readonly Counter[] = ['created', 'leased', 'completed', 'failed', 'cancelled', 'retry'];
const NO_BUCKET = -1;
/** A count is packed as four numbers: minute, index of its counter, bucket, count. */
const WIDTH = 4;

export type SeriesScope = Parameters<FleetContext['keys']['series']>[1];

/** What happened in one minute of the hour; `bucket` of its duration, if it has one. */
export interface Count {
  minute: number;
  counter: Counter;
  bucket: number | undefined;
  count: number;
}

/** The result reads the counts of an hour, in any order. */
export function createReadHour({ redis, keys, clock }: FleetContext) {
  const ended = new LRUCache<string, Int32Array>({
    ...CACHE,
    sizeCalculation: ({ byteLength }) => byteLength + 100,
  });

  async function read(key: string): Promise<Int32Array> {
    // HSCAN may return a field twice.
    const counts = new Map<string, string>();
    let cursor = '0';
    do {
      const [next, found] = await redis.hscan(key, cursor, 'COUNT', STEP);
      for (let at = 0; at < found.length; at += 2) counts.set(found[at] as string, found[at + 1] as string);
      cursor = next;
    } while (cursor !== '0');
    const packed = new Int32Array(WIDTH * counts.size);
    let at = 0;
    for (const [field, count] of counts) {
      const [minute, counter, bucket = NO_BUCKET] = field.split(':') as [string, Counter, string | undefined];
      packed.set([Number(minute), COUNTERS.indexOf(counter), Number(bucket), Number(count)], at);
      at += WIDTH;
    }
    return packed;
  }

  return async (hour: number, scope: SeriesScope): Promise<Iterable<Count>> => {
    const key = keys.series(hour, scope);
    let packed = ended.get(key);
    if (!packed) {
      packed = await read(key);
      const isEnded = (hour + 1) * HOUR_MS + ENDED_AFTER_MS < clock.now();
      if (isEnded && packed.length > 0) ended.set(key, packed);
    }
    return unpack(packed);
  };
}

function* unpack(packed: Int32Array): Iterable<Count> {
  const numberAt = (at: number) => packed[at] as number;
  for (let at = 0; at < packed.length; at += WIDTH) {
    const counter = COUNTERS[numberAt(at + 1)] as Counter;
    const bucket = numberAt(at + 2);
    yield { minute: numberAt(at), counter, bucket: bucket === NO_BUCKET ? undefined : bucket, count: numberAt(at + 3) };
  }
}
