import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys, TaskIndex } from '../../src/redis/keys.ts';
import { AGENT_STATUSES, TASK_STATUSES } from './records.ts';
import { type Entry, emptySnapshot, readClock, readEntries, type Snapshot, toScores } from './snapshot.ts';

/** Agents, and everything that they and their tasks ever had. */
export interface Scope {
  agents: readonly string[];
  /** Tasks that ever existed. */
  tasks: readonly string[];
  /** No other agents have these types. */
  types: readonly string[];
  tags: readonly string[];
  /** Number of the fleet's first event that may be theirs. */
  since: number;
}

/** Reads the part of the database that belongs to some agents, while nobody changes it. */
export async function readPart(redis: RedisClient, keys: Keys, scope: Scope): Promise<Snapshot> {
  const { agents, types, since } = scope;
  const snapshot = emptySnapshot();
  const stored = await Promise.all(agents.map((agent) => redis.zrange(keys.tasks({ agent }), 0, '-1')));
  const tasks = [...new Set([...scope.tasks, ...stored.flat()])];
  const [records, states, purges, entries] = await Promise.all([
    tasks.length > 0 ? redis.mget(...tasks.map(keys.task)) : [],
    tasks.length > 0 ? redis.mget(...tasks.map(keys.state)) : [],
    redis.hmget(keys.purges, ...agents),
    readEntries(redis, keys.events(), `${since}-0`),
  ]);
  for (const [at, id] of tasks.entries()) {
    if (typeof records[at] === 'string') snapshot.tasks.set(id, records[at]);
    if (typeof states[at] === 'string') snapshot.states.set(id, states[at]);
  }
  for (const [at, id] of agents.entries()) if (purges[at] != null) snapshot.purges.set(id, purges[at]);
  await Promise.all([
    ...tasks.map(async (id) => {
      const attempts = await redis.lrange(keys.attempts(id), 0, -1);
      if (attempts.length > 0) snapshot.attempts.set(id, attempts);
      const log = await readEntries(redis, keys.logs(id));
      if (log.length > 0) snapshot.logs.set(id, log);
    }),
    ...agents.map(async (id) => {
      const [agent, events, reservations] = await Promise.all([
        redis.hgetall(keys.agent(id)),
        readEntries(redis, keys.events(id)),
        redis.hgetall(keys.reservations(id)),
      ]);
      if (Object.keys(agent).length > 0) snapshot.agents.set(id, agent);
      if (events.length > 0) snapshot.events.set(id, events);
      if (Object.keys(reservations).length > 0) snapshot.reservations.set(id, reservations);
    }),
    ...types.map(async (type) => {
      const ready = toScores(await redis.zrange(keys.ready(type), 0, '-1', 'WITHSCORES'));
      if (ready.size > 0) snapshot.sorted.set(keys.ready(type), ready);
    }),
    readIndexes(redis, keys, { ...scope, tasks }, workersOf(agents, entries), snapshot),
  ]);
  const [now, turns] = await Promise.all([readClock(redis), redis.get(`${keys.prefix}turns`)]);
  return Object.assign(snapshot, {
    now,
    turns: Number(turns),
    event: undefined,
    usage: undefined,
    series: undefined,
    spend: undefined,
    seen: undefined,
    polledAgents: undefined,
    fleetEvents: entries,
  });
}

/** Workers that ever leased a task of these agents. */
function workersOf(agents: readonly string[], entries: readonly Entry[]): string[] {
  const leased = entries.filter(({ a, y }) => y === 'task.leased' && agents.includes(String(a)));
  return [...new Set(leased.map(({ d }) => JSON.parse(String(d)).worker_id as string))];
}

/** Reads which agents and tasks are in which indexes, with their scores. */
async function readIndexes(
  redis: RedisClient,
  keys: Keys,
  scope: Scope,
  workers: readonly string[],
  { sorted }: Snapshot,
): Promise<void> {
  const { agents, tasks, types, tags } = scope;
  const anyOf = <T>(values: readonly T[]) => [undefined, ...values];
  const scopes: { agent?: string; type?: string }[] = [
    {},
    ...types.map((type) => ({ type })),
    ...agents.map((agent) => ({ agent })),
  ];
  const indexes = scopes
    .flatMap((one): TaskIndex[] => anyOf(tags).map((tag) => ({ ...one, tag })))
    .concat(workers.map((worker) => ({ worker })))
    .flatMap((one) => anyOf(TASK_STATUSES).map((status) => keys.tasks({ ...one, status })));
  const ofAgents = anyOf(types)
    .flatMap((type) => anyOf(AGENT_STATUSES).map((status) => ({ type, status })))
    .flatMap((one) => [keys.agents(one), keys.agents({ ...one, paused: true })]);
  const own = agents.flatMap((id) => [keys.ended(id), keys.queue(id)]).concat(workers.map(keys.reserved));
  await Promise.all([find([...indexes, ...own, keys.timers], tasks), find(ofAgents, agents)]);

  async function find(names: string[], members: readonly string[]): Promise<void> {
    if (members.length === 0) return;
    const reply = (await redis.eval(FIND_MEMBERS, names.length, ...names, ...members)) as (string | null)[][];
    for (const [at, scores] of reply.entries()) {
      const found = members.flatMap((member, one): [string, number][] =>
        scores[one] == null ? [] : [[member, Number(scores[one])]],
      );
      if (found.length > 0) sorted.set(names[at] as string, new Map(found));
    }
  }
}

/** Returns the scores of members (ARGV) in sorted sets (KEYS). */
const FIND_MEMBERS = `
  local found = {}
  for at, index in ipairs(KEYS) do found[at] = redis.call('ZMSCORE', index, unpack(ARGV)) end
  return found`;
