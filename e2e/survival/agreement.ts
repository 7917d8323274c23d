import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { LocalFleet } from '../harness/local-fleet.ts';
import type { Acknowledged } from './load.ts';

const PAGE = 1000;
/** The sweep repairs what is older than half of this. */
const SWEEP_AGE_MS = 60_000;
const SWEEP_TIMEOUT_MS = 120_000;

/** Every acknowledged agent, task and deletion reads as it was acknowledged. */
export async function expectAcknowledged(api: Api, { agents, tasks, deleted }: Acknowledged): Promise<void> {
  const read = async (path: string) => (await api.get(path)).json;
  await Promise.all([
    ...[...agents.values()].map(async (agent) => expect(await read(`/agents/${agent.id}`)).toEqual(agent)),
    ...[...tasks.values()].map(async (task) =>
      expect(await read(`/agents/${task.agent_id}/tasks/${task.id}`)).toEqual(task),
    ),
    ...[...deleted].map(async (id) => expect((await api.get(`/agents/${id}`)).status).toBe(404)),
  ]);
}

/** Lets the sweep repair at once what it would repair half a minute after a crash. */
export async function letTheSweepRepair({ redisUrl, redisPrefix }: LocalFleet): Promise<void> {
  const redis = new Redis(redisUrl);
  try {
    const outbox = `${redisPrefix}:{fleet}:outbox`;
    const entries = await redis.zrange(outbox, 0, '-1');
    for (const entry of entries) await redis.zadd(outbox, Date.now() - SWEEP_AGE_MS, entry);
    const isEmpty = async () => (await redis.zcard(outbox)) === 0;
    await until(isEmpty, { message: 'the sweep has repaired everything', timeoutMs: SWEEP_TIMEOUT_MS });
  } finally {
    redis.disconnect();
  }
}

/**
 * Lists, totals and filters agree with each other and with the records, of which none is without its places in them.
 */
export async function expectAgreement(api: Api, fleet: LocalFleet): Promise<void> {
  const agents = await listAll<Agent>(api, '/agents');
  const ids = agents.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  for (const type of api.types) {
    const ofType = agents.filter((agent) => agent.type === type);
    expect(await listAll<Agent>(api, '/agents', `type=${type}`)).toEqual(ofType);
    expect(await listAll<Agent>(api, '/agents', `type=${type}&status=idle`)).toEqual(ofType);
  }
  await Promise.all(agents.map((agent) => expectTasksToAgree(api, agent)));
  const { records, withTasks } = await storedIds(fleet);
  expect(records).toEqual(ids);
  expect(withTasks.filter((id) => !ids.includes(id))).toEqual([]);
}

async function expectTasksToAgree(api: Api, agent: Agent): Promise<void> {
  const path = `/agents/${agent.id}`;
  expect((await api.get(path)).json).toEqual(agent);
  const tasks = await listAll<Task>(api, `${path}/tasks`);
  expect(await listAll<Task>(api, `${path}/tasks`, 'status=pending')).toEqual(tasks);
  for (const task of tasks) expect((await api.get(`${path}/tasks/${task.id}`)).json).toEqual(task);
}

async function listAll<T>(api: Api, path: string, filter = ''): Promise<T[]> {
  const records: T[] = [];
  for (let total = 1; records.length < total; ) {
    const { status, json, headers } = await api.get(`${path}?skip=${records.length}&limit=${PAGE}&${filter}`);
    expect(status).toBe(200);
    total = Number(headers['x-total-count']);
    const page = json as T[];
    // An entry whose record is gone would be counted and not listed.
    expect([path, page.length]).toEqual([path, Math.min(PAGE, total - records.length)]);
    records.push(...page);
  }
  return records;
}

/** The ids of agents that have a record, and of those that have tasks, in Redis itself. */
async function storedIds({ redisUrl, redisPrefix }: LocalFleet): Promise<{ records: string[]; withTasks: string[] }> {
  const redis = new Redis(redisUrl);
  const idsOf = (keys: string[]) => keys.map((key) => String(/\{(.*)\}/.exec(key)?.[1])).sort();
  try {
    const [records, withTasks] = await Promise.all(
      ['agent', 'tasks'].map((name) => redis.keys(`${redisPrefix}:{*}:${name}`)),
    );
    // `{fleet}` has an index of that name, too.
    return { records: idsOf(records ?? []), withTasks: idsOf(withTasks ?? []).filter((id) => id !== 'fleet') };
  } finally {
    redis.disconnect();
  }
}
