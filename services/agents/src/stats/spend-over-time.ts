import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { validationError } from '@agent-fleet/shared/http/errors';
import { LRUCache } from 'lru-cache';
import { SPENT_COUNTERS } from '../agent-work/used.ts';
import { limitedKey, visibleAgents } from '../contract/callers.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toTime } from '../tasks/rules/task-state.ts';
import { byCost, spentOf } from './spend.ts';
import { toCsv } from './spend-csv.ts';
import { DAY_MS, type Edges, STEPS, toEdges, toZoned } from './spend-steps.ts';
import { type Dimension, MAX_GROUPS, type readSpend, type Spend } from './spend-steps-contract.ts';

/** As in includes/counters.lua. */
const QUARTERS = 96;
const BLOCK_DAYS = 32;
/** Days whose quarters of an hour are kept. */
const KEPT_DAYS = 90;
/** Hashes that are read at once. */
const AT_ONCE = 8;
const DEFAULT_DAYS = { hour: 1, day: 30, month: 365 };
const OTHER = 'other';

/** Counts in the order of `SPENT_COUNTERS`, by name. */
type Groups = Map<string, number[]>;

/** The operation that reads what attempts have used in steps of time. */
export function createSpendOverTime(context: FleetContext) {
  const { clock } = context;
  const readGroups = createReadGroups(context);

  return {
    async readSpend({ query, req, res }: Input<typeof readSpend>): Promise<Reply | undefined> {
      const { step, group_by, agent_id: agent, time_zone: zone } = query;
      const visible = visibleAgents(req);
      if (visible && !(agent !== undefined && visible.has(agent))) throw limitedKey();
      const now = clock.now();
      const to = query.to === undefined ? now : Date.parse(query.to);
      const from = query.from === undefined ? to - DEFAULT_DAYS[step] * DAY_MS : Date.parse(query.from);
      requireRange({ ...query, from, to }, now);

      const edges = toEdges(from, to, step, zone);
      const firstQuarters = Math.floor(now / DAY_MS) - KEPT_DAYS;
      const read = (dimension: Dimension) => readGroups(edges, { dimension, agent, step, zone, firstQuarters });
      const isOfAgent = group_by === 'agent' && agent !== undefined;
      const groups = await read(isOfAgent ? 'type' : group_by);
      const groups_overlap = group_by === 'tag';
      const total = sumOf(groups_overlap ? await read('type') : groups);
      const spend: Spend = {
        ...{ from: toTime(edges.times[0] as number), to: toTime(edges.times.at(-1) as number) },
        ...{ step, time_zone: zone, group_by, groups_overlap, total: spentOf(total) },
        steps: groups.map((found, at) => ({
          at: toTime(edges.times[at] as number),
          groups: toGroups(isOfAgent && found.size > 0 ? new Map([[agent, sumOf([found])]]) : found),
        })),
      };
      if (req.accepts(['application/json', 'text/csv']) !== 'text/csv') return json(spend);
      res.setHeader('content-type', 'text/csv; charset=utf-8');
      res.setHeader('content-disposition', 'attachment; filename="spend.csv"');
      res.end(toCsv(spend));
      return undefined;
    },
  };
}

interface Range {
  from: number;
  to: number;
  step: keyof typeof STEPS;
  time_zone: string;
  group_by: Dimension;
  agent_id?: string | undefined;
}

/** @throws 400 */
function requireRange({ from, to, step, time_zone, group_by, agent_id }: Range, now: number): void {
  const [[unit, count]] = Object.entries(STEPS[step]) as [[string, number]];
  const problems = [
    from >= to && (['from', 'must be before to'] as const),
    from < to &&
      toZoned(from, time_zone).add(STEPS[step]).epochMilliseconds < to &&
      (['from', `must be at most ${count} ${unit} before to, with steps of a ${step}`] as const),
    step === 'hour' &&
      from < (Math.floor(now / DAY_MS) - KEPT_DAYS) * DAY_MS &&
      (['from', `must be in the last ${KEPT_DAYS} days, with steps of an hour`] as const),
    group_by === 'version' && agent_id === undefined && (['agent_id', 'is required to group by version'] as const),
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return;
  throw validationError(problems.map(([path, message]) => ({ path, code: 'invalid', message })));
}

interface Source {
  dimension: Dimension;
  agent: string | undefined;
  step: keyof typeof STEPS;
  zone: string;
  /** The first day whose quarters are there. */
  firstQuarters: number;
}

/** The result reads the groups of each step: by quarters of an hour, else by days. */
function createReadGroups(context: FleetContext) {
  const { keys, clock } = context;
  const readRows = createReadRows(context);

  return async ({ times, dates }: Edges, source: Source): Promise<Groups[]> => {
    const { dimension, agent, step, zone, firstQuarters } = source;
    const steps = Array.from({ length: times.length - 1 }, (): Groups => new Map());
    const first = Math.floor((times[0] as number) / DAY_MS);
    const last = Math.floor(((times.at(-1) as number) - 1) / DAY_MS);
    const hasDays = step !== 'hour';
    // Days of UTC are those of the calendar there.
    const firstDay = hasDays && zone === 'UTC' ? last + 1 : Math.max(first, firstQuarters);

    const add = async (
      hash: string,
      edges: readonly number[],
      toPlace: (period: number) => number,
      isEnded = false,
    ) => {
      const { periods, names, counts } = await readRows(hash, dimension, isEnded);
      for (const [row, name] of names.entries()) {
        const groups = steps[findStep(edges, toPlace(periods[row] as number))];
        if (groups) addCounts(groups, name, counts, row * WIDTH);
      }
    };
    const days = range(firstDay, last).map((day) => {
      const hash = keys.spendBy('quarters', day, agent === undefined ? { dimension } : { agent });
      const isEnded = (day + 1) * DAY_MS + ENDED_AFTER_MS < clock.now();
      return () => add(hash, times, (quarter) => (day + quarter / QUARTERS) * DAY_MS, isEnded);
    });
    // A day before the first or after the last may have their date elsewhere.
    const blocks = hasDays ? range(Math.floor((first - 1) / BLOCK_DAYS), Math.floor((last + 1) / BLOCK_DAYS)) : [];
    const ofBlocks = blocks.map((block) => {
      const hash = keys.spendBy('days', block, { agent });
      return () => add(hash, dates, (day) => (day < firstDay ? day : Number.NaN));
    });
    const reads = [...days, ...ofBlocks];
    // Others may be served between: a busy day has thousands of fields.
    for (let at = 0; at < reads.length; at += AT_ONCE) {
      await Promise.all(reads.slice(at, at + AT_ONCE).map((read) => read()));
    }
    return steps;
  };
}

/** Fields per read: other requests must not wait for all of a busy day. */
const STEP = 1_000;
/** Cache of days that have ended, whose counts stay. `maxSize` in bytes. */
const CACHE = { maxSize: 32 * 1024 * 1024, ttl: 600_000 };
/** When a day counts as ended, as clocks of replicas differ. */
const ENDED_AFTER_MS = 60_000;
/** Counts of a row. */
const WIDTH = SPENT_COUNTERS.length;

/** The counters of `<period> <dimension> <name>`. */
interface Rows {
  periods: number[];
  names: string[];
  /** Of all rows, one after the other. */
  counts: Float64Array;
}

function createReadRows({ redis }: FleetContext) {
  const ended = new LRUCache<string, Rows>({ ...CACHE, sizeCalculation: ({ names }) => 120 * names.length + 500 });

  async function read(hash: string, dimension: Dimension): Promise<Rows> {
    // HSCAN may return a field twice.
    const fields = new Map<string, Buffer>();
    let cursor = '0';
    do {
      const [next, found] = await redis.hscanBuffer(hash, cursor, 'MATCH', `* ${dimension} *`, 'COUNT', STEP);
      for (let at = 0; at < found.length; at += 2) fields.set(`${found[at]}`, found[at + 1] as Buffer);
      cursor = `${next}`;
    } while (cursor !== '0');
    const rows: Rows = { periods: [], names: [], counts: new Float64Array(WIDTH * fields.size) };
    for (const [field, packed] of fields) {
      const [period, , name = ''] = field.split(' ');
      for (let at = 0; at < WIDTH; at++) rows.counts[WIDTH * rows.names.length + at] = packed.readDoubleLE(8 * at);
      rows.periods.push(Number(period));
      rows.names.push(name);
    }
    return rows;
  }

  return async (hash: string, dimension: Dimension, isEnded: boolean): Promise<Rows> => {
    const key = `${hash} ${dimension}`;
    const rows = ended.get(key) ?? (await read(hash, dimension));
    if (isEnded) ended.set(key, rows);
    return rows;
  };
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/** The index of the step that has a place, by binary search; −1 if none. */
function findStep(edges: readonly number[], place: number): number {
  if (!(place >= (edges[0] as number) && place < (edges.at(-1) as number))) return -1;
  let [low, high] = [0, edges.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] as number) <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** Adds the counts of a row, which begin at `from`. */
function addCounts(groups: Groups, name: string, counts: Float64Array, from: number): void {
  const sums = groups.get(name) ?? SPENT_COUNTERS.map(() => 0);
  groups.set(name, sums);
  for (let at = 0; at < WIDTH; at++) sums[at] = (sums[at] as number) + (counts[from + at] as number);
}

function sumOf(all: readonly Groups[]): number[] {
  const sums = SPENT_COUNTERS.map(() => 0);
  for (const groups of all) {
    for (const counts of groups.values())
      for (const [at, count] of counts.entries()) sums[at] = (sums[at] as number) + count;
  }
  return sums;
}

/** The highest cost first. Without a name, the key is null. */
function toGroups(groups: Groups): Spend['steps'][number]['groups'] {
  let named = [...groups];
  if (named.length > MAX_GROUPS) {
    const micros = SPENT_COUNTERS.indexOf('micros');
    const known = named.filter(([name]) => name !== OTHER);
    known.sort(([, one], [, other]) => (other[micros] as number) - (one[micros] as number));
    const kept = known.slice(0, MAX_GROUPS - 1);
    const rest = new Map([...known.slice(MAX_GROUPS - 1), ...named.filter(([name]) => name === OTHER)]);
    named = [...kept, [OTHER, sumOf([rest])]];
  }
  const toKey = (name: string) => (name.includes('%') ? decodeURIComponent(name) : name || null);
  return named.map(([name, counts]) => ({ key: toKey(name), ...spentOf(counts) })).sort(byCost);
}
