import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Redis } from 'ioredis';
import type { Keys } from '../../src/redis/keys.ts';

const STEP = 500;

/** An entry of a stream of events: the fields of services/agents/README.md, and its number. */
export interface Entry {
  number: number;
  n?: string;
  y?: string;
  [field: string]: string | number | undefined;
}

/** What is stored, as it is stored. */
export interface Snapshot {
  /** Redis' clock in ms. */
  now: number;
  /** Hashes of the agents by id. */
  agents: Map<string, Record<string, string>>;
  /** Records, states and ended attempts of tasks by task id. */
  tasks: Map<string, string>;
  states: Map<string, string>;
  attempts: Map<string, string[]>;
  /** Input requests and messages of tasks, and what suspended tasks go on with, by task id. */
  requests: Map<string, Record<string, string>>;
  messages: Map<string, Record<string, string>>;
  suspensions: Map<string, Record<string, string>>;
  /** Tasks that wait for a person without a worker. */
  suspended: Set<string>;
  /** The needs for which agents have queues. */
  needs: Map<string, Set<string>>;
  /** Log entries by task. */
  logs: Map<string, Entry[]>;
  /** Members and scores of every sorted set by key. */
  sorted: Map<string, Map<string, number>>;
  /** How many tasks of an agent are reserved for each worker, by agent. */
  reservations: Map<string, Record<string, string>>;
  /** Events by agent. */
  events: Map<string, Entry[]>;
  fleetEvents: Entry[];
  /** Number of the fleet's last event. */
  event: number;
  turns: number;
  /** Types of deleted agents whose tasks are not removed yet. */
  purges: Map<string, string>;
  /** How many records principals have created that count for a quota. */
  usage: Map<string, number>;
  /** Budgets, the ends of their periods, and those that are used up, by scope. */
  budgets: Map<string, Record<string, string>>;
  budgetEnds: Map<string, number>;
  reached: Map<string, string>;
  /** Counters of the series by key. */
  series: Map<string, Record<string, string>>;
  /** Counters of what attempts have used by key. */
  spend: Map<string, Record<string, string>>;
  /** The same over time by key and field. */
  spendBy: Map<string, Record<string, Buffer>>;
  /** Agents with their scores by cost. */
  spenders: Map<string, number>;
  /** Hashes of the bulk actions by key, and the ids of those that run. */
  bulkActions: Map<string, Record<string, string>>;
  runningActions: Set<string>;
  /** Hashes of workers by their encoded ids. */
  workers: Map<string, Record<string, string>>;
  /** When workers were last seen. */
  seen: Map<string, number>;
  /** The agents that workers have polled. */
  polledAgents: Map<string, unknown>;
  /** How many tasks have each set of labels, by the key of a type. */
  labelSets: Map<string, Record<string, string>>;
  /** How many tasks name each version, by agent. */
  uses: Map<string, Map<string, number>>;
  /** The leased tasks of agents. */
  leased: Map<string, Set<string>>;
  /** The lanes of agents, and what they know of the tasks in them. */
  lanes: Map<string, Map<string, number>>;
  laneTasks: Map<string, Record<string, string>>;
  /** The tasks that name a task in `after`, those of them that wait for it, and how it has ended for these. */
  dependents: Map<string, Set<string>>;
  waiters: Map<string, Set<string>>;
  handovers: Map<string, string>;
  /** The batches that are to be created. */
  batches: Set<string>;
  /** The versions of the definitions of agents. */
  definitions: Map<string, Record<string, string>>;
  /** Stored replies by key. */
  replies: Map<string, string>;
  /** Keys that no agent or task explains. */
  unknown: string[];
}

function emptySnapshot(): Snapshot {
  return {
    now: 0,
    agents: new Map(),
    tasks: new Map(),
    states: new Map(),
    attempts: new Map(),
    requests: new Map(),
    messages: new Map(),
    suspensions: new Map(),
    suspended: new Set(),
    needs: new Map(),
    logs: new Map(),
    sorted: new Map(),
    reservations: new Map(),
    events: new Map(),
    fleetEvents: [],
    event: 0,
    turns: 0,
    purges: new Map(),
    usage: new Map(),
    budgets: new Map(),
    budgetEnds: new Map(),
    reached: new Map(),
    series: new Map(),
    spend: new Map(),
    spendBy: new Map(),
    spenders: new Map(),
    bulkActions: new Map(),
    runningActions: new Set(),
    workers: new Map(),
    seen: new Map(),
    polledAgents: new Map(),
    labelSets: new Map(),
    uses: new Map(),
    leased: new Map(),
    lanes: new Map(),
    laneTasks: new Map(),
    dependents: new Map(),
    waiters: new Map(),
    handovers: new Map(),
    batches: new Set(),
    definitions: new Map(),
    replies: new Map(),
    unknown: [],
  };
}

type Read = (redis: Redis, key: string, rest: string) => Promise<unknown>;

/** Reads the whole fleet, key by key: use it on a Redis that nobody changes meanwhile. */
export async function readSnapshot(client: RedisClient, keys: Keys): Promise<Snapshot> {
  const redis = client as Redis;
  const snapshot = emptySnapshot();
  const readers = createReaders(snapshot, keys);
  const names = new Set<string>();
  const match = `${keys.prefix}*`;
  const seenBefore = await readSeen();
  for await (const found of redis.scanStream({ match, count: 1_000 })) for (const name of found) names.add(name);
  const all = [...names];
  for (let at = 0; at < all.length; at += STEP) await Promise.all(all.slice(at, at + STEP).map(readOne));
  // Replicas write once a second, also now, which workers they have seen, and forget old ones: a worker whose record
  // was read is in one of the two lists.
  snapshot.seen = new Map([...seenBefore, ...(await readSeen())]);
  snapshot.now = await readClock(redis);
  return snapshot;

  async function readSeen(): Promise<Map<string, number>> {
    return toScores(await redis.zrange(keys.workers, 0, '-1', 'WITHSCORES'));
  }

  async function readOne(key: string): Promise<void> {
    const [start, read] = readers.find(([name, , isWhole]) => (isWhole ? key === name : key.startsWith(name))) ?? [];
    if (start === undefined || !read) snapshot.unknown.push(key);
    else await read(redis, key, key.slice(start.length));
  }
}

export async function readClock(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

type Reader = [start: string, read: Read, isWhole?: boolean];

const get = (redis: Redis, key: string) => redis.get(key);
const number = async (redis: Redis, key: string) => Number(await get(redis, key));
const map = async (redis: Redis, key: string) => new Map(Object.entries(await redis.hgetall(key)));
const members = async (redis: Redis, key: string) => new Set(await redis.smembers(key));
const scores = async (redis: Redis, key: string) => toScores(await redis.zrange(key, 0, '-1', 'WITHSCORES'));

/** The start of a key, or a whole key, and how to read it. The first that fits counts. */
function createReaders(snapshot: Snapshot, keys: Keys): Reader[] {
  const { prefix } = keys;
  const into = <Value>(
    target: Map<string, Value>,
    read: (redis: Redis, key: string) => Promise<Value | null>,
  ): Read => {
    return async (redis, key, id) => target.set(id, (await read(redis, key)) as Value);
  };
  const by = <Value>(target: Map<string, Value>, read: (redis: Redis, key: string) => Promise<Value>): Read => {
    return async (redis, key) => target.set(key, await read(redis, key));
  };
  /** A whole key, whose content is a part of the snapshot. */
  const whole = <Part extends keyof Snapshot>(
    key: string,
    part: Part,
    read: (redis: Redis, key: string) => Promise<Snapshot[Part]>,
  ): Reader => [
    key,
    async (redis) => {
      snapshot[part] = await read(redis, key);
    },
    true,
  ];
  const hash = (redis: Redis, key: string) => redis.hgetall(key);
  const skip: Read = async () => undefined;
  const sorted = by(snapshot.sorted, scores);
  const skipped = [keys.layout, keys.wakeups, keys.auditOutbox, keys.logs(), keys.workers];
  return [
    ...skipped.map((key): Reader => [key, skip, true]),
    whole(`${prefix}event`, 'event', number),
    whole(`${prefix}turns`, 'turns', number),
    [`${keys.logs()}:`, into(snapshot.logs, readEntries)],
    ...[`${prefix}background:`, `${prefix}polls:type:`, keys.batch('')].map((key): Reader => [key, skip]),
    ...(['definitions', 'laneTasks'] as const).map((name): Reader => [keys[name](''), into(snapshot[name], hash)]),
    [keys.agent(''), into(snapshot.agents, hash)],
    [keys.task(''), into(snapshot.tasks, get)],
    [keys.state(''), into(snapshot.states, get)],
    [keys.attempts(''), into(snapshot.attempts, (redis, key) => redis.lrange(key, 0, -1))],
    [keys.requests(''), into(snapshot.requests, hash)],
    [keys.messages(''), into(snapshot.messages, hash)],
    [keys.suspension(''), into(snapshot.suspensions, hash)],
    whole(keys.suspended, 'suspended', members),
    ...[keys.queueNeeds, keys.reservedNeeds, keys.readyNeeds].map(
      (key): Reader => [key(''), by(snapshot.needs, members)],
    ),
    [keys.labelSets(''), by(snapshot.labelSets, hash)],
    [keys.definitionUses(''), into(snapshot.uses, scores)],
    ...(['leased', 'dependents', 'waiters'] as const).map(
      (name): Reader => [keys[name](''), into(snapshot[name], members)],
    ),
    [keys.lanes(''), into(snapshot.lanes, scores)],
    whole(keys.handovers, 'handovers', map),
    whole(keys.batches, 'batches', members),
    [`${prefix}input-requests:`, sorted],
    [keys.idempotency(''), into(snapshot.replies, get)],
    [`${keys.events()}:`, into(snapshot.events, readEntries)],
    whole(keys.events(), 'fleetEvents', readEntries),
    whole(keys.purges, 'purges', map),
    [keys.budget(''), into(snapshot.budgets, hash)],
    whole(keys.budgets, 'budgetEnds', scores),
    whole(keys.budgetsReached, 'reached', map),
    whole(keys.usage, 'usage', async (redis, key) => {
      return new Map([...(await map(redis, key))].map(([field, count]) => [field, Number(count)]));
    }),
    whole(keys.bulkActions, 'runningActions', members),
    // `:step` has the tasks that the present step has retried.
    [
      keys.bulkAction(''),
      async (redis, key, id) => !id.endsWith(':step') && snapshot.bulkActions.set(key, await redis.hgetall(key)),
    ],
    [`${prefix}series:`, by(snapshot.series, hash)],
    whole(keys.spenders, 'spenders', scores),
    [`${prefix}spend-by:`, by(snapshot.spendBy, (redis, key) => redis.hgetallBuffer(key))],
    [keys.spend(), by(snapshot.spend, hash)],
    [keys.worker(''), into(snapshot.workers, hash)],
    [`${prefix}polls:agent:`, into(snapshot.polledAgents, scores)],
    [keys.timers, sorted, true],
    ...[keys.agents(), keys.tasks()].flatMap((key): Reader[] => [
      [key, sorted, true],
      [`${key}:`, sorted, false],
    ]),
    [keys.reservations(''), into(snapshot.reservations, hash)],
    ...[keys.ended(''), keys.queue(''), keys.reserved(''), keys.ready('')].map((key): Reader => [key, sorted]),
  ];
}

/** Pairs of members and scores as ioredis returns them. */
function toScores(pairs: readonly string[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (let at = 0; at < pairs.length; at += 2) scores.set(pairs[at] as string, Number(pairs[at + 1]));
  return scores;
}

export async function readEntries(redis: RedisClient, key: string, from = '-'): Promise<Entry[]> {
  return (await redis.xrange(key, from, '+')).map(([id, list]) => {
    const entry: Entry = { number: Number(id.slice(0, id.indexOf('-'))) };
    for (let at = 0; at < list.length; at += 2) entry[list[at] as string] = list[at + 1] as string;
    return entry;
  });
}
