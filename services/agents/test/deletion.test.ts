import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import type { FleetContext } from '../src/redis/fleet-context.ts';
import { createPurge } from '../src/tasks/store/task-removal.ts';
import { checkDatabase } from './database/check-database.ts';
import { type StartedService, startService } from './support/start-service.ts';

const service = await startService();
const { http, redis, keys } = service;

const keysOf = (id: string) => redis.keys(`${service.prefix}:*${id}*`);

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

/** Follows the `next` links; returns the ids of the tasks. */
async function listAll({ http }: StartedService, first: string): Promise<string[]> {
  const ids: string[] = [];
  for (let path: string | undefined = first; path; ) {
    const { body, headers }: Response = await http.get(path).expect(200);
    ids.push(...body.map(({ id }: { id: string }) => id));
    path = nextOf(headers);
  }
  return ids;
}

const nextOf = ({ link = '' }: Response['headers']): string | undefined => /<([^>]+)>; rel="next"/.exec(link)?.[1];

test('lists the tasks of other agents without those of a deleted one, which only count until they are removed', async () => {
  const service = await startService({ backgroundEveryMs: 3_600_000 });
  const { redis, keys } = service;
  const [deleted, other] = [await service.createAgent(), await service.createAgent()];
  const expected: string[] = [];
  for (let at = 0; at < 3; at++) {
    await service.createTasks(deleted, 15, { tags: ['page'] });
    expected.push((await service.createTask(other, { tags: ['page'] })).id);
  }
  // As right after the deletion, before any task is removed.
  await redis.multi().hset(keys.purges, deleted, 'claude').del(keys.agent(deleted)).exec();
  for (const query of ['', 'type=claude', 'status=pending', 'status=pending,running', 'tag=page']) {
    for (const limit of [1, 2, 100]) {
      expect(await listAll(service, `/tasks?${query}&limit=${limit}`)).toEqual(expected);
    }
    expect(await service.total(`/tasks?${query}`)).toBe(48);
  }
});

test('following next from a page during the removal misses no task, also when some are removed meanwhile', async () => {
  const service = await startService({ backgroundEveryMs: 3_600_000 });
  const { redis, keys } = service;
  const [deleted, other] = [await service.createAgent(), await service.createAgent()];
  await service.createTasks(deleted, 5);
  await service.createTasks(other, 5);
  const expected = await listAll(service, `/tasks?agent_id=${other}`);
  const ofDeleted = await redis.zrange(keys.tasks({ agent: deleted }), 0, '-1');
  await redis.multi().hset(keys.purges, deleted, 'claude').del(keys.agent(deleted)).exec();
  const { body, headers } = await service.http.get('/tasks?limit=3').expect(200);
  expect(body).toEqual([]);
  // As when the tasks of the page are removed after their ids were read.
  const records = await redis.mget(ofDeleted.map(keys.task));
  await redis.del(ofDeleted.map(keys.task));
  expect((await service.http.get('/tasks?limit=3').expect(200)).headers.link).toBe(headers.link);
  await redis.mset(ofDeleted.flatMap((id, at) => [keys.task(id), records[at] as string]));
  await createPurge(service as unknown as FleetContext, () => {})(deleted, AbortSignal.timeout(60_000));
  expect(await service.total('/tasks')).toBe(5);
  expect(await listAll(service, nextOf(headers) as string)).toEqual(expected);
});

test('a page while many agents are removed has only tasks of others, and takes few commands', async () => {
  const service = await startService({ ownRedis: true, backgroundEveryMs: 3_600_000 });
  const { http, redis, keys } = service;
  const deleted: string[] = [];
  for (let at = 0; at < 60; at++) deleted.push(await service.createAgent());
  const other = await service.createAgent();
  for (const agent of [...deleted, other]) await service.createTask(agent);
  // As right after their deletion, with many more.
  await redis.del(...deleted.map(keys.agent));
  const purges = [...deleted, ...Array.from({ length: 2_000 }, () => crypto.randomUUID())];
  await redis.hset(keys.purges, Object.fromEntries(purges.map((id) => [id, 'claude'])));
  for (const path of ['/tasks', '/tasks?type=claude', '/tasks?status=pending,running', '/tasks?order=desc']) {
    await redis.config('RESETSTAT');
    const { body } = await http.get(path).expect(200);
    expect(body.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([other]);
    const calls = [...(await redis.info('commandstats')).matchAll(/cmdstat_(?!info|config)\S+:calls=(\d+)/g)];
    // A lookup per task of the page, one per agent, and some more.
    expect(calls.reduce((sum, [, count]) => sum + Number(count), 0)).toBeLessThan(61 + 61 + 60);
  }
});
