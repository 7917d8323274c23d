import { randomUUID } from 'node:crypto';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import { checkDatabase } from './database/check-database.ts';
import { type StartedService, startService } from './support/start-service.ts';

const service = await startService();
const { http, redis, keys } = service;
afterAll(() => service.close());

const keysOf = (id: string) => redis.keys(`${service.prefix}:*${id}*`);

test.each(['a task', 'an agent with a task'])('deletes every key and index entry of %s', async (what) => {
  const agentId = await service.createAgent();
  const { id } = await service.createTask(agentId, { tags: ['a'] });
  const path = `/agents/${agentId}`;
  await http.delete(what === 'a task' ? `${path}/tasks/${id}` : path).expect(204, '');
  expect(await keysOf(id)).toEqual([]);
  expect(await redis.zscore(keys.timers, id)).toBeNull();
  expect(await redis.zcard(keys.tasks({ tag: 'a' }))).toBe(0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  const agents = what === 'a task' ? 1 : 0;
  expect([await redis.zcard(keys.agents()), await redis.exists(keys.agent(agentId))]).toEqual([agents, agents]);
  if (agents > 0) await http.delete(path).expect(204);
  expect(await keysOf(agentId)).toEqual([]);
});

test('hides the tasks of a deleted agent at once, and removes all of them', async () => {
  const agentId = await service.createAgent();
  for (let at = 0; at < 6; at++) await service.createTasks(agentId, 500, { tags: ['many'] });
  const [{ id }] = (await http.get(`/agents/${agentId}/tasks?skip=2999`)).body;
  await http.delete(`/agents/${agentId}`).expect(204);
  for (const path of [`/agents/${agentId}/tasks/${id}`, `/agents/${agentId}/tasks`]) {
    await http.get(path).expect(404, { detail: 'Agent not found' });
  }
  expect((await service.leaseByType('claude')).status).toBe(204);
  await until(() => service.total('/tasks'), { holds: (total) => total === 0 });
  await until(async () => (await redis.hlen(keys.purges)) === 0);
  expect(await keysOf(agentId)).toEqual([]);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('leaves nothing of an agent that is deleted while tasks are created and leased', async () => {
  const agentId = await service.createAgent();
  const statuses: number[] = [];
  const sendRepeatedly = async (send: () => Promise<{ status: number }>) => {
    for (let tries = 0; tries < 40; tries++) statuses.push((await send()).status);
  };
  const asking = Array.from({ length: 4 }, () => [
    sendRepeatedly(() => http.post(`/agents/${agentId}/tasks`).send({ message: 'x' })),
    sendRepeatedly(() => service.lease(agentId, { max_tasks: 2 })),
  ]).flat();
  await service.createTask(agentId);
  await http.delete(`/agents/${agentId}`).expect(204);
  await Promise.all(asking);
  expect(statuses.filter((status) => ![201, 204, 404].includes(status))).toEqual([]);
  expect(await keysOf(agentId)).toEqual([]);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('lists the tasks of other agents as if those of a deleted one were removed already', async () => {
  const [deleted, other] = [await service.createAgent(), await service.createAgent()];
  const tags = ['page'];
  const expected: string[] = [];
  for (let at = 0; at < 3; at++) {
    await service.createTasks(deleted, 150, { tags });
    expected.push((await service.createTask(other, { tags })).id);
  }
  const record = await redis.dumpBuffer(keys.agent(deleted));
  // As right after the deletion, before any task is removed.
  await redis.multi().hset(keys.purges, deleted, 'claude').del(keys.agent(deleted)).exec();
  for (const filter of ['', '&type=claude', '&status=pending']) {
    for (const skip of [0, 1, 2, 3]) {
      const { body, headers } = await http.get(`/tasks?tag=page${filter}&skip=${skip}&limit=2`).expect(200);
      const ids = body.map(({ id }: { id: string }) => id);
      expect([ids, headers['x-total-count']]).toEqual([expected.slice(skip, skip + 2), '3']);
      expect(headers.link?.includes('next') ?? false).toBe(skip === 0);
    }
  }
  await redis.restore(keys.agent(deleted), 0, record);
  await redis.hdel(keys.purges, deleted);
  for (const id of [deleted, other]) await http.delete(`/agents/${id}`).expect(204);
});

test('lists the tasks of other agents while those of a deleted one are removed', async () => {
  const [deleted, other] = [await service.createAgent(), await service.createAgent()];
  for (let at = 0; at < 6; at++) await service.createTasks(deleted, 500, { tags: ['removed'] });
  await service.createTasks(other, 2);
  const deleting = http.delete(`/agents/${deleted}`).expect(204).then();
  await until(() => redis.hlen(keys.purges), { holds: (count) => count > 0, pollMs: 1 });
  const lists: [number, string][] = [];
  while ((await redis.hlen(keys.purges)) > 0) {
    const { body, headers } = await http.get('/tasks?limit=100');
    lists.push([body.length, headers['x-total-count'] as string]);
  }
  expect(lists.length).toBeGreaterThan(0);
  expect(lists.filter(([count, total]) => count !== 2 || total !== '2')).toEqual([]);
  await deleting;
  await http.delete(`/agents/${other}`).expect(204);
});

/** Follows the `next` links; returns the ids of the tasks. */
async function listAll({ http }: StartedService, first: string): Promise<string[]> {
  const ids: string[] = [];
  for (let path: string | undefined = first; path; ) {
    const { body, headers }: Response = await http.get(path).expect(200);
    ids.push(...body.map(({ id }: { id: string }) => id));
    path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
  return ids;
}

test('lists the tasks of other agents while an agent is removed that was changing its type', async () => {
  await using service = await startService({ backgroundEveryMs: 3_600_000 });
  const { http, redis, keys } = service;
  const [deleted, claude, gpt] = [
    await service.createAgent('claude'),
    await service.createAgent('claude'),
    await service.createAgent('gpt'),
  ];
  const expected: Record<string, string[]> = { claude: [], gpt: [] };
  const tasksOfDeleted: string[] = [];
  for (let at = 0; at < 3; at++) {
    tasksOfDeleted.push((await service.createTask(deleted)).id);
    expected.claude?.push((await service.createTask(claude)).id);
    expected.gpt?.push((await service.createTask(gpt)).id);
  }
  // As after the deletion, with one task moved.
  const [moved] = tasksOfDeleted as [string];
  for (const status of [undefined, 'pending']) {
    await redis.zrem(keys.tasks({ type: 'claude', status }), moved);
    await redis.zadd(keys.tasks({ type: 'gpt', status }), 0, moved);
  }
  await redis.multi().hset(keys.purges, deleted, 'gpt claude').del(keys.agent(deleted)).exec();
  for (const type of ['claude', 'gpt']) {
    for (const filter of ['', '&status=pending']) {
      for (const limit of [1, 2, 100]) {
        expect(await listAll(service, `/tasks?type=${type}${filter}&limit=${limit}`)).toEqual(expected[type]);
      }
    }
  }
  const { body, headers } = await http.get('/tasks').expect(200);
  expect([body.length, headers['x-total-count']]).toEqual([6, '6']);
});

test.each([60, 2_000])('lists tasks by few commands while %i agents are removed', async (count) => {
  await using service = await startService({ ownRedis: true, backgroundEveryMs: 3_600_000 });
  const { redis, keys } = service;
  const [living, ...deleted] = await Promise.all(Array.from({ length: 61 }, () => service.createAgent()));
  const expected: string[] = [];
  for (const agentId of deleted) {
    await service.createTask(agentId);
    expected.push((await service.createTask(living as string)).id);
  }
  await redis.del(...deleted.map(keys.agent));
  await redis.hset(keys.purges, Object.fromEntries(deleted.map((id) => [id, 'claude'])));
  for (let at = deleted.length; at < count; at++) await redis.hset(keys.purges, randomUUID(), 'claude');
  for (const path of ['/tasks', '/tasks?type=claude', '/tasks?limit=3']) {
    expect(await listAll(service, path)).toEqual(expected);
  }
  await redis.config('RESETSTAT');
  await service.http.get('/tasks?limit=1').expect(200);
  const stats = await redis.info('commandstats');
  const calls = [...stats.matchAll(/_(?:z\w+|exists):calls=(\d+)/g)].map((match) => Number(match[1]));
  expect(calls.reduce((sum, each) => sum + each, 0)).toBeLessThan(250);
});
