import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Keys } from '../../src/redis/keys.ts';
import { isEnded } from '../../src/tasks/rules/task-rules.ts';
import { TASK_STATUSES, type Task } from '../../src/tasks/task.ts';
import { checkDatabase } from '../database/check-database.ts';
import type { Client, Load } from './load.ts';

/** Three expired leases of 5 s, on a busy machine. */
const ENDED_WITHIN_MS = 180_000;
const PAGE = 1_000;

/** Ends the load and checks that nothing that was acknowledged is lost and that everything has ended. */
export async function verifyLoad(client: Client, load: Load, redis: Redis, keys: Keys): Promise<void> {
  const { acknowledged, agentIds } = load;
  await load.stopCreating();
  await until(() => countUnended(client), {
    timeoutMs: ENDED_WITHIN_MS,
    pollMs: 500,
    holds: (count) => count === 0,
    message: 'all tasks have ended',
  });
  await load.stopWorking();

  const { created, ended, attempts, logs } = acknowledged;
  const tasks = (await Promise.all(agentIds.map((id) => readAll(client, `/agents/${id}/tasks`)))).flat();
  const found = new Map(tasks.map((task) => [task.id, task]));
  console.info(`${created.size} tasks, ${attempts.length} failed attempts, ${logs.length} log entries`);
  expect([...created.keys()].filter((id) => !found.has(id))).toEqual([]);
  expect(repeated(tasks.map(({ message }) => message))).toEqual([]);
  expect(tasks.filter((task) => !isEnded(task) || task.attempt > task.max_attempts)).toEqual([]);
  for (const [id, task] of ended) expect(found.get(id)).toEqual(task);
  for (const { task, number, worker } of attempts) {
    const path = `/agents/${task.agent_id}/tasks/${task.id}/attempts`;
    const { body } = await client.call({ method: 'GET', path });
    expect(body).toContainEqual(expect.objectContaining({ number, worker_id: worker, outcome: 'failed' }));
  }
  for (const { task, text } of logs) {
    const path = `/agents/${task.agent_id}/tasks/${task.id}/log-entries`;
    const { body } = await client.call({ method: 'GET', path });
    expect(body).toContainEqual(expect.objectContaining({ text }));
  }
  await checkTotals(client, agentIds, tasks);
  expect(await checkDatabase(redis, keys)).toEqual([]);
}

const repeated = (texts: readonly string[]) => {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
};

async function readAll({ call }: Client, path: string): Promise<Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = { method: 'GET', path: `${path}?skip=${tasks.length}&limit=${PAGE}` };
    const { body, total = 0 } = await call<Task[]>(page);
    tasks.push(...body);
    if (body.length === 0 || tasks.length >= total) return tasks;
  }
}

/** Reads the total of a list for each status, in the order of `TASK_STATUSES`. */
async function readTotals({ call }: Client, path: string): Promise<(number | undefined)[]> {
  const pages = TASK_STATUSES.map((status) => call({ method: 'GET', path: `${path}status=${status}&limit=1` }));
  return (await Promise.all(pages)).map(({ total }) => total);
}

function countByStatus(tasks: readonly Task[]): number[] {
  return TASK_STATUSES.map((status) => tasks.filter((task) => task.status === status).length);
}

async function countUnended(client: Client): Promise<number> {
  const [pending = 0, running = 0] = await readTotals(client, '/tasks?');
  return pending + running;
}

async function checkTotals(client: Client, agentIds: readonly string[], tasks: readonly Task[]): Promise<void> {
  await client.call({ method: 'POST', path: '/leases', body: { worker_id: 'last' } }, 204);
  expect(await readTotals(client, '/tasks?')).toEqual(countByStatus(tasks));
  for (const type of ['claude', 'gpt', 'gemini']) {
    const { body } = await client.call<{ id: string }[]>({ method: 'GET', path: `/agents?type=${type}` });
    const ofType = tasks.filter(({ agent_id }) => body.some(({ id }) => id === agent_id));
    expect(await readTotals(client, `/tasks?type=${type}&`)).toEqual(countByStatus(ofType));
  }
  for (const id of agentIds) {
    const ofAgent = tasks.filter(({ agent_id }) => agent_id === id);
    expect(await readTotals(client, `/agents/${id}/tasks?`)).toEqual(countByStatus(ofAgent));
    const { body } = await client.call<Task>({ method: 'GET', path: `/agents/${id}` });
    expect(body.status).toMatch(/^(idle|error|offline)$/);
  }
}
