import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
afterEach(() => service.close());

async function endTasks(agentId: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const { id } = (
      await service.http
        .post(`/agents/${agentId}/tasks`)
        .send({ message: `${at}` })
        .expect(201)
    ).body;
    await service.http.put(`/agents/${agentId}/tasks/${id}/cancellation`).expect(200);
  }
}

async function createAgent(): Promise<string> {
  return (await service.http.post('/agents').send({ name: 'x', type: 'claude' }).expect(201)).body.id;
}

async function untilTotal(path: string, total: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await service.http.get(path)).headers['x-total-count'] !== total) {
    if (Date.now() > deadline) throw new Error(`${path} does not come to ${total}`);
    await sleep(25);
  }
}

test('of an agent so many ended tasks are kept, the last ones', async () => {
  service = await startService({ env: { TASK_RETENTION_COUNT: '3' } });
  const agentId = await createAgent();
  await service.http.post(`/agents/${agentId}/tasks`).send({ message: 'pending' }).expect(201);
  await endTasks(agentId, 8);
  await untilTotal('/tasks?status=cancelled', '3');
  const { body } = await service.http.get(`/agents/${agentId}/tasks`);
  expect(body.map(({ message }: { message: string }) => message)).toEqual(['pending', '5', '6', '7']);
  const events = (await service.http.get('/events')).body as { type: string; data?: object }[];
  expect(events.filter(({ type }) => type === 'task.deleted').map(({ data }) => data)).toEqual(
    Array(5).fill({ reason: 'retention' }),
  );
});

test('so many are kept also when many end at once, on two replicas', async () => {
  const env = { TASK_RETENTION_COUNT: '3' };
  service = await startService({ env });
  const other = await startService({ env, prefix: service.prefix });
  const agentId = await createAgent();
  const expires_at = new Date(Date.now() + 5_000).toISOString();
  const tasks = Array.from({ length: 60 }, () => ({ message: 'x', expires_at }));
  await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  await untilTotal('/tasks?status=failed', '3');
  await untilTotal('/tasks', '3');
  await other.close();
});

test('an ended task is removed when its time is over, with all that belongs to it', async () => {
  service = await startService({ env: { TASK_RETENTION_SECONDS: '60' } });
  const agentId = await createAgent();
  await endTasks(agentId, 2);
  const { redis, keys } = service;
  const [member] = await redis.zrange(keys.timers, 0, '0');
  const [, taskId = ''] = (member as string).split(' ');
  // A minute later.
  const record = JSON.parse((await redis.get(keys.task(agentId, taskId))) as string);
  const completed_at = new Date(Date.parse(record.completed_at) - 60_000).toISOString();
  await redis.set(keys.task(agentId, taskId), JSON.stringify({ ...record, completed_at }));
  await redis.zadd(keys.timers, Date.now(), member as string);
  await untilTotal(`/agents/${agentId}/tasks`, '1');
  await untilTotal('/tasks', '1');
  expect(await redis.keys(`${service.prefix}:*${taskId}*`)).toEqual([]);
  expect(await redis.zrange(keys.ended(agentId), 0, '-1')).not.toContain(taskId);
  expect(await redis.zcard(keys.timers)).toBe(1);
});
