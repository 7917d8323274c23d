import { storeOn } from '@agent-fleet/shared/redis/store';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { FleetContext } from '../src/redis/fleet-context.ts';
import { loadFleetScript } from '../src/redis/scripts.ts';
import { createPurge } from '../src/tasks/store/task-removal.ts';
import { checkDatabase } from './database/check-database.ts';
import { type StartedService, startService } from './support/start-service.ts';

const options = { backgroundEveryMs: 200 };
const TAGS = Array.from({ length: 10 }, (_, at) => `tag ${at}`);

async function createAgentWithTasks({ createAgent, createTasks }: StartedService): Promise<string> {
  const id = await createAgent('claude');
  await createTasks(id, 120, { tags: ['a b'] });
  return id;
}

/** Leaves what a replica leaves that is killed after the first script of a deletion. */
async function beginDeletion({ redis, keys }: StartedService, id: string): Promise<void> {
  await loadFleetScript({ ...storeOn(redis), keys }, 'agents/delete-agent')({ id, at: Date.now(), etags: [] });
}

const untilPurged = ({ redis, keys }: StartedService) => until(async () => (await redis.hlen(keys.purges)) === 0);

test('removes the tasks of an agent whose deletion was interrupted', async () => {
  // The job is scheduled at the start: its next scheduling is later than the wait of this test.
  const service = await startService({ backgroundEveryMs: 3_000 });
  const { http, redis, keys } = service;
  const id = await createAgentWithTasks(service);
  const other = await createAgentWithTasks(service);
  await beginDeletion(service, id);
  await http.get(`/agents/${id}/tasks`).expect(404);
  await untilPurged(service);
  expect((await http.get('/tasks?limit=1&tag=a+b').expect(200)).body).toMatchObject([{ agent_id: other }]);
  expect(await service.total('/tasks?type=claude')).toBe(120);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

const shortRuns = { backgroundEveryMs: 20 };

/** One whose tasks take many short runs to change. */
async function createAgentWithManyTasks({ createAgent, createTasks }: StartedService): Promise<string> {
  const id = await createAgent();
  for (let batch = 0; batch < 4; batch++) await createTasks(id, 500, { tags: TAGS });
  return id;
}

test('divides the time of a run between agents', async () => {
  const service = await startService(shortRuns);
  const { redis, keys } = service;
  const many = await createAgentWithManyTasks(service);
  const few = await service.createAgent();
  for (let batch = 0; batch < 2; batch++) await service.createTasks(few, 500);
  await beginDeletion(service, many);
  await beginDeletion(service, few);
  await until(async () => (await redis.hexists(keys.purges, few)) === 0);
  expect(await redis.zcard(keys.tasks({ agent: many }))).toBeGreaterThan(1_000);
});

test('takes a step of a removal even without time', async () => {
  const service = await startService();
  const { redis, keys, createAgent, createTasks } = service;
  const purge = createPurge({ ...storeOn(redis), keys } as FleetContext, () => {});
  const id = await createAgent();
  await createTasks(id, 20, { tags: TAGS });
  await beginDeletion(service, id);
  for (let step = 0; step < 10; step++) await purge(id, AbortSignal.abort());
  expect(await redis.hlen(keys.purges)).toBe(0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('removes the tasks of other agents when those of one cannot be read', async () => {
  const service = await startService(options);
  const { redis, keys, createAgent, createTasks } = service;
  const deleteWithTask = async (record?: string) => {
    const id = await createAgent();
    await createTasks(id, 1);
    const [taskId] = await redis.zrange(keys.tasks({ agent: id }), 0, '0');
    if (record) await redis.set(keys.task(taskId as string), record);
    await beginDeletion(service, id);
    return id;
  };
  const broken = await deleteWithTask('{');
  await deleteWithTask();
  await until(async () => (await redis.hkeys(keys.purges)).join() === broken);
});

test('works in the background again after FLUSHALL on an open connection', async () => {
  const service = await startService({ ...options, ownRedis: true });
  const { redis, keys } = service;
  await until(() => redis.exists(`${keys.queues}:background:id`));
  await redis.flushall();
  await beginDeletion(service, await createAgentWithTasks(service));
  await untilPurged(service);
});

test('works in the background again after Redis has lost its data', async () => {
  const service = await startService({ ...options, ownRedis: true });
  const { redis, ownRedis } = service;
  await redis.flushall();
  await ownRedis?.stop();
  await ownRedis?.restart();
  // The service has connections of its own.
  const agent = { name: 'x', type: 'claude' };
  await until(async () => (await service.http.post('/agents').send(agent)).status === 201);
  await beginDeletion(service, await createAgentWithTasks(service));
  await untilPurged(service);
  expect(await service.total('/tasks')).toBe(0);
});

test('closes while Redis is unavailable', async () => {
  const service = await startService({ ...options, ownRedis: true });
  await service.createAgent();
  await service.ownRedis?.kill();
  const start = Date.now();
  await service.close();
  expect(Date.now() - start).toBeLessThan(15_000);
});
