import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { isId } from '@agent-fleet/shared/ids';
import { LRUCache } from 'lru-cache';
import type { FleetContext } from '../redis/fleet-context.ts';
import { type Counter, quantilesOf } from '../tasks/rules/task-counters.ts';
import type { readSeries, SeriesStep } from './series-contract.ts';

const MINUTE_MS = 60_000;

/** How many durations each bucket has. */
type Buckets = Map<number, number>;

/** The counts of one step. */
interface Counts {
  of: Record<Counter, number>;
  wait: Buckets;
  run: Buckets;
}

/** The operation that reads what the scripts have counted, at most 49 hashes. */
export function createSeries(context: FleetContext) {
  const { redis, keys, clock } = context;
  const readHour = createReadHour(context);

  /** Whether there is such an agent, of this type if one is given. */
  async function isMatch(agentId: string, type: string | undefined): Promise<boolean> {
    const found = isId(agentId) ? await redis.hget(keys.agent(agentId), 'type') : null;
    return found !== null && (type ?? found) === found;
  }

  /** Adds what has happened from `from` to before `to` to the steps. Hour by hour, as a busy one is long. */
  async function addCounts(steps: readonly Counts[], scope: SeriesScope, { from, to, stepMs }: Window): Promise<void> {
    for (let hour = Math.floor(from / HOUR_MS); hour * HOUR_MS < to; hour++) {
      for (const { minute, counter, bucket, count } of await readHour(hour, scope)) {
        const at = hour * HOUR_MS + minute * MINUTE_MS;
        const step = steps[Math.floor((at - from) / stepMs)];
        if (step) add(step, counter, bucket, count);
      }
    }
  }

  return {
    async readSeries({ query }: Input<typeof readSeries>): Promise<Reply> {
      const { window, step, type, agent_id: agent } = query;
      const to = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
      const from = to - window * 1_000;
      const counts = Array.from({ length: window / step }, emptyCounts);
      if (agent === undefined || (await isMatch(agent, type))) {
        const scope = agent === undefined ? { type } : { agent };
        await addCounts(counts, scope, { from, to, stepMs: step * 1_000 });
      }
      const steps = counts.map((one, at) => toStep(from + at * step * 1_000, one));
      return json({ from: toTime(from), to: toTime(to), step, steps });
    },
  };
}

/** Times in ms. */
interface Window {
  from: number;
  to: number;
  stepMs: number;
}

function emptyCounts(): Counts {
  const of = { created: 0, leased: 0, completed: 0, failed: 0, cancelled: 0, retry: 0, input: 0 };
  return { of, wait: new Map(), run: new Map() };
}

function add({ of, wait, run }: Counts, counter: Counter, bucket: number | undefined, count: number): void {
  of[counter] += count;
  if (bucket === undefined) return;
  const buckets = counter === 'leased' ? wait : run;
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
}

function toStep(at: number, { of, wait, run }: Counts): SeriesStep {
  const { created, completed, failed, cancelled, retry, input } = of;
  const counts = { created, completed, failed, cancelled, input_requested: input, retried: retry };
  return { at: toTime(at), ...counts, wait_ms: toPercentiles(wait), run_ms: toPercentiles(run) };
}

function toPercentiles(buckets: Buckets): SeriesStep['wait_ms'] {
  if (buckets.size === 0) return null;
  const [p50, p95] = quantilesOf(buckets, [0.5, 0.95]) as [number, number];
  return { p50, p95 };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

const HOUR_MS = 3_600_000;
/** Fields per read: a busy hour has thousands, and other requests must not wait for all of them. */
const STEP = 1_000;
/** Cache of hours that have ended: only a batch that continues later may still change them. `maxSize` in bytes. */
const CACHE = { maxSize: 16 * 1024 * 1024, ttl: 60_000 };
/** When an hour counts as ended, as clocks of replicas differ. */
const ENDED_AFTER_MS = 60_000;

const COUNTERS: readonly Counter[] = ['created', 'leased', 'completed', 'failed', 'cancelled', 'retry', 'input'];
const NO_BUCKET = -1;
/** A count is packed as four numbers: minute, index of its counter, bucket, count. */
const WIDTH = 4;

type SeriesScope = Parameters<FleetContext['keys']['series']>[1];

/** What happened in one minute of the hour; `bucket` of its duration, if it has one. */
interface Count {
  minute: number;
  counter: Counter;
  bucket: number | undefined;
  count: number;
}

/** The result reads the counts of an hour, in any order. */
function createReadHour({ redis, keys, clock }: FleetContext) {
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
