import { storeOn } from '@agent-fleet/shared/redis/store';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { loadFleetScript } from '../../src/redis/scripts.ts';
import { checkDatabase } from '../database/check-database.ts';
import { connectAs } from '../support/callers.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const service = await startService();
const { http, redis, keys } = service;

type Body = Record<string, unknown>;

const post = (body: object, from: StartedService['http'] = http) => from.post('/bulk-actions').send(body);
const readAction = async (id: string): Promise<Body> => (await http.get(`/bulk-actions/${id}`).expect(200)).body;
const untilEnded = (id: string) =>
  until(() => readAction(id), { holds: ({ state }) => state !== 'running', timeoutMs: 60_000 });

/** Runs an action to its end. */
async function run(action: string, filter: object): Promise<Body> {
  return untilEnded((await post({ action, filter }).expect(202)).body.id);
}

const statusesOf = async (agentId: string): Promise<string[]> =>
  (await http.get(`/agents/${agentId}/tasks?limit=1000`)).body.map(({ status }: { status: string }) => status);

async function createEnded(agentId: string, count: number): Promise<void> {
  await service.createTasks(agentId, count);
  await run('cancel', { agent_id: agentId });
}

test('changes more tasks than one step has, once each', async () => {
  const agentId = await service.createAgent();
  for (let batch = 0; batch < 2; batch++) await service.createTasks(agentId, 150, { tags: ['a b'] });
  const cancelled = await run('cancel', { tag: 'a b' });
  expect(cancelled).toMatchObject({ state: 'completed', matched: 300, done: 300, failed: 0, failures: [] });
  const retried = await run('retry', { tag: 'a b' });
  expect(retried).toMatchObject({ state: 'completed', matched: 300, done: 300 });
  expect(await service.total(`/tasks?agent_id=${agentId}&status=pending`)).toBe(300);
  const deleted = await run('delete', { agent_id: agentId });
  expect(deleted).toMatchObject({ matched: 300, done: 300 });
  expect(new Set(await statusesOf(agentId))).toEqual(new Set(['pending']));
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('leaves out tasks that were created after it, also its own retries that have ended', async () => {
  const agentId = await service.createAgent();
  await createEnded(agentId, 250);
  const { id } = (await post({ action: 'retry', filter: { agent_id: agentId } }).expect(202)).body;
  // A worker completes the retries while the action runs.
  for (let left = 250; left > 0; ) {
    const { body } = await service.lease(agentId, { max_tasks: 20, wait_seconds: 5 });
    for (const lease of body.leases) await service.report(lease, { status: 'completed' });
    left -= body.leases.length;
  }
  expect(await untilEnded(id)).toMatchObject({ matched: 250, done: 250 });
  expect(await service.total(`/tasks?agent_id=${agentId}`)).toBe(500);
});

test('passes over the tasks of an agent that is deleted meanwhile', async () => {
  const agentId = await service.createAgent();
  for (let batch = 0; batch < 4; batch++) await service.createTasks(agentId, 500);
  const { id } = (await post({ action: 'cancel', filter: { agent_id: agentId } }).expect(202)).body;
  await http.delete(`/agents/${agentId}`).expect(204);
  const { matched, done, failed } = await untilEnded(id);
  expect([matched, failed]).toEqual([2_000, 0]);
  expect(Number(done)).toBeLessThan(2_000);
  await until(async () => (await redis.hlen(keys.purges)) === 0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('retries no task twice in a repeated step, even if the new one is deleted, and none once it is over', async () => {
  const agentId = await service.createAgent();
  await createEnded(agentId, 1);
  const [{ id: taskId }] = (await http.get(`/agents/${agentId}/tasks`)).body;
  const createTasks = loadFleetScript({ ...storeOn(redis), keys }, 'tasks/store/create-tasks');
  const bulk = { id: 'repeated', cursor: '' };
  await redis.hset(keys.bulkAction(bulk.id), { state: 'running', cursor: '', done: 0 });
  const create = (id: string, task = taskId) => {
    const tasks = [
      {
        id,
        at: Date.now(),
        due: Date.now() + 60_000,
        priority: 5,
        ready: false,
        state: '',
        needs: '',
        labels: '',
        tags: [],
      },
    ];
    return createTasks({ agent: agentId, tasks, bulk: { ...bulk, task } }, '', '{}');
  };
  expect(await create('first')).toEqual(['created', 0]);
  await redis.del(keys.task('first'));
  expect(await create('second')).toEqual(['missing']);
  await redis.hset(keys.bulkAction(bulk.id), { cursor: 'next' });
  expect(await create('third', 'another')).toEqual(['missing']);
  expect(await redis.hget(keys.bulkAction(bulk.id), 'done')).toBe('1');
  await http.delete(`/agents/${agentId}`).expect(204);
  for (const key of await redis.keys(`${keys.prefix}*`))
    if (/first|second|third|repeated/.test(key)) await redis.del(key);
});

test('counts retries for the quota of who created it, and reports those above as failed', async () => {
  const limited = await startService({ env: { MAX_PENDING_TASKS_PER_PRINCIPAL: '120' } });
  const ada = connectAs(limited.url, 'user:ada@example.com');
  const agentId = await ada.createAgent();
  const ids: string[] = [];
  for (const action of ['cancel', 'cancel', 'retry']) {
    if (action === 'cancel') await ada.createTasks(agentId, 120);
    const { body } = await ada.http
      .post('/bulk-actions')
      .send({ action, filter: { agent_id: agentId } })
      .expect(202);
    ids.push(body.id);
    await until(async () => (await ada.http.get(`/bulk-actions/${body.id}`)).body.state === 'completed');
  }
  const { body } = await ada.http.get(`/bulk-actions/${ids.at(-1)}`);
  expect(body).toMatchObject({ matched: 240, done: 120, failed: 120 });
  expect(body.failures).toHaveLength(100);
  expect(body.failures[0]).toEqual({ agent_id: agentId, task_id: expect.any(String), code: 'quota_exceeded' });
  expect(await checkDatabase(limited.redis, limited.keys)).toEqual([]);
});

test('reports a task whose record cannot be read as failed, and changes the others', async () => {
  const own = await startService();
  const agentId = await own.createAgent();
  await own.createTasks(agentId, 3);
  const [, broken] = (await own.http.get(`/agents/${agentId}/tasks`)).body;
  const record = (await own.redis.get(own.keys.task(broken.id))) as string;
  await own.redis.set(own.keys.task(broken.id), record.slice(0, -1));
  const { id } = (await post({ action: 'cancel', filter: { agent_id: agentId } }, own.http).expect(202)).body;
  const action = await until(async () => (await own.http.get(`/bulk-actions/${id}`)).body, {
    holds: ({ state }) => state === 'completed',
  });
  const failures = [{ agent_id: agentId, task_id: broken.id, code: 'internal_error' }];
  expect(action).toMatchObject({ matched: 3, done: 2, failed: 1, failures });
});

test('is 429 while a hundred run', async () => {
  const own = await startService();
  await own.redis.sadd(own.keys.bulkActions, ...Array.from({ length: 100 }, (_, at) => `other ${at}`));
  const refused = await post({ action: 'cancel', filter: { status: 'pending' } }, own.http).expect(429);
  expect(refused.body.error).toBe('rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

test('is kept for a week after its end', async () => {
  const { id } = await run('cancel', { agent_id: 'nobody' });
  const seconds = await redis.ttl(keys.bulkAction(String(id)));
  expect(seconds).toBeGreaterThan(7 * 86_400 - 60);
  expect(seconds).toBeLessThanOrEqual(7 * 86_400);
});
