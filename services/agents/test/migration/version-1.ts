import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';

/**
 * A database of version 1.0, and what 1.0 served from it.
 *
 * `version-1-database.jsonl` is what a Redis held after replicas of 1.0 had been driven over HTTP: agents and tasks in
 * every state, held leases, timers, kept replies, and eleven replicas that ended by SIGKILL in the middle of a change
 * (agents `crash: …`). That 1.0 kept 40 events per agent instead of 1,000, so that the file stays short. The first line
 * has the time of the dump and the ids behind `@A1` (agents) and `@T1` (tasks); each other line is a key. An entry of
 * the fleet's events that has only `a` and `n` has the other fields of entry `n` of the agent `a`.
 *
 * `version-1-answers.jsonl` was read over HTTP from 1.0 on that database, once its sweep had repaired these changes.
 */
const [firstLine = '', ...keyLines] = readLines('version-1-database.jsonl');
const about = JSON.parse(firstLine) as About;
const stored = keyLines.map((line) => JSON.parse(expandIds(line)) as StoredKey);
/** Agent id → its events. */
const eventsOf = new Map(
  stored
    .filter(({ key, type }) => type === 'stream' && /}:events$/.test(key))
    .map(({ key, value }) => [key.slice('fleet:{'.length, key.indexOf('}')), value as Entry[]]),
);
const answers = readLines('version-1-answers.jsonl').map((line) => JSON.parse(expandIds(line)) as Line);

interface About {
  /** Time of the dump in ms. */
  at: number;
  /** Alias → id. */
  ids: Record<string, string>;
}

interface StoredKey {
  key: string;
  type: 'string' | 'hash' | 'list' | 'zset' | 'stream';
  /** Remaining lifetime in ms. */
  ttl?: number;
  value: unknown;
}

type Fields = Record<string, string>;
/** An entry of a stream. */
type Entry = [id: string, fields: Fields];

/** The response to a GET request. */
export interface Answer {
  path: string;
  status: number;
  total?: number;
  link?: string;
  etag?: string;
  /** `digestOf` the body. */
  digest: string;
}

/** A POST request with an `Idempotency-Key`; without `reply` its process crashed. */
export interface KeptRequest {
  what: string;
  path: string;
  body: object;
  key: string;
  status?: number;
  etag?: string;
  location?: string;
  reply?: string;
}

interface HeldLease {
  what: string;
  id: string;
  token: string;
  agent: string;
  task: string;
}

interface Line extends Partial<Answer> {
  held?: HeldLease;
  request?: KeptRequest;
  order?: { agentId: string; tasks: string[] };
  /** The number of events at the time of the dump. */
  events?: number;
  /** The events that the repair added, in any order. */
  later?: { count: number; digest: string };
  /** Agents by name. */
  agents?: Record<string, string>;
}

const [summary] = answers;
const pick = <Name extends keyof Line>(name: Name) =>
  answers.map((line) => line[name]).filter((found): found is NonNullable<Line[Name]> => found !== undefined);

/** What 1.0 served. */
export const version1 = {
  gets: answers.filter(({ path }) => path !== undefined) as Answer[],
  heldLeases: pick('held'),
  requests: pick('request'),
  /** The tasks of each agent in the order in which they were leased. */
  orders: pick('order'),
  eventCount: summary?.events as number,
  laterEvents: summary?.later as NonNullable<Line['later']>,
  agents: summary?.agents as Record<string, string>,
};

/**
 * Loads the database under a key prefix, with all its times moved so that it was dumped `ageMs` ago.
 * Returns by how many ms they were moved.
 */
export async function loadVersion1(redis: RedisClient, prefix: string, ageMs = 0): Promise<number> {
  const shiftMs = Date.now() - about.at - ageMs;
  const moved = shiftTimes(JSON.stringify(stored.map(completeEvents)), shiftMs);
  await Promise.all(
    (JSON.parse(moved) as StoredKey[]).map(async (each) => {
      const key = each.key.replace('fleet', prefix);
      for (const command of toCommands({ ...each, key })) await redis.call(...(command as [string, string]));
      if (each.ttl) await redis.pexpire(key, each.ttl);
    }),
  );
  return shiftMs;
}

/** Moves all times in a text: RFC 3339, ms (13 digits) and microseconds (16 digits). */
export function shiftTimes(text: string, shiftMs: number): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => new Date(Date.parse(time) + shiftMs).toISOString())
    .replace(/(?<![\w.-])1[78]\d{11}(?!\d)/g, (ms) => String(Number(ms) + shiftMs))
    .replace(/(?<![\w.-])1[78]\d{14}(?!\d)/g, (us) => String(Number(us) + shiftMs * 1_000));
}

/** The digest of a body, except for the time of a `resync`, which is that of the response. */
export function digestOf(body: string): string {
  return hash('sha256', body.replace(/("type":"resync","at":")[^"]*/g, '$1')).slice(0, 24);
}

function toCommands({ key, type, value }: StoredKey): string[][] {
  if (type === 'string') return [['SET', key, value as string]];
  if (type === 'hash') return [['HSET', key, ...Object.entries(value as Fields).flat()]];
  if (type === 'list') return [['RPUSH', key, ...(value as string[])]];
  if (type === 'zset') return [['ZADD', key, ...(value as string[][]).flatMap((pair) => pair.toReversed())]];
  return (value as Entry[]).map(([id, fields]) => ['XADD', key, id, ...Object.entries(fields).flat()]);
}

/** Adds the fields that an event of the fleet shares with that of its agent. */
function completeEvents({ key, value, ...rest }: StoredKey): StoredKey {
  if (key !== 'fleet:{fleet}:events') return { key, value, ...rest };
  const complete = (value as Entry[]).map(([id, fields]): Entry => {
    const { a = '', n = '' } = fields;
    if (fields.e) return [id, fields];
    const { e = '', t = '', s = '' } = eventsOf.get(a)?.find(([number]) => number === `${n}-0`)?.[1] ?? {};
    return [id, { e, a, n, t, s }];
  });
  return { key, value: complete, ...rest };
}

function readLines(name: string): string[] {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
    .trim()
    .split('\n');
}

function expandIds(line: string): string {
  return line.replace(/@[AT]\d+/g, (alias) => about.ids[alias] as string);
}
