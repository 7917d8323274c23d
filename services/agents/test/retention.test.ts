import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { createTime } from './model/time.ts';
import { type StartedService, startService } from './support/start-service.ts';

async function endTasks(service: StartedService, agentId: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const { id } = await service.createTask(agentId, { message: `${at}` });
    await service.http.put(`/agents/${agentId}/tasks/${id}/cancellation`).expect(200);
  }
}

const untilTotal = ({ total }: StartedService, path: string, expected: number) =>
  until(() => total(path), { holds: (now) => now === expected });

test('keeps the last ended tasks of an agent up to TASK_RETENTION_COUNT', async () => {
  const service = await startService({ env: { TASK_RETENTION_COUNT: '3' } });
  const agentId = await service.createAgent();
  await service.createTask(agentId, { message: 'pending' });
  await endTasks(service, agentId, 8);
  await untilTotal(service, '/tasks?status=cancelled', 3);
  const { body } = await service.http.get(`/agents/${agentId}/tasks`);
  expect(body.map(({ message }: { message: string }) => message)).toEqual(['pending', '5', '6', '7']);
  const events = (await service.http.get('/events')).body as { type: string; data?: object }[];
  const reasons = events.filter(({ type }) => type === 'task.deleted').map(({ data }) => data);
  expect(reasons).toEqual(Array(5).fill({ reason: 'retention' }));
});

test('keeps no more and no fewer when many tasks end at once on two replicas', async () => {
  const env = { TASK_RETENTION_COUNT: '3' };
  const service = await startService({ env });
  await startService({ env, prefix: service.prefix });
  const agentId = await service.createAgent();
  await service.createTasks(agentId, 60, { expires_at: new Date(Date.now() + 5_000).toISOString() });
  await untilTotal(service, '/tasks?status=failed', 3);
  await untilTotal(service, '/tasks', 3);
});

test('removes an ended task with all its data after TASK_RETENTION_SECONDS', async () => {
  const service = await startService({ env: { TASK_RETENTION_SECONDS: '60' } });
  const agentId = await service.createAgent();
  await endTasks(service, agentId, 2);
  const { redis, keys } = service;
  const [taskId = ''] = await redis.zrange(keys.timers, 0, '0');
  await createTime(redis, keys).pass({ agentId, taskId, what: 'retention' });
  expect([await service.total(`/agents/${agentId}/tasks`), await service.total('/tasks')]).toEqual([1, 1]);
  expect(await redis.keys(`${service.prefix}:*${taskId}*`)).toEqual([]);
  expect(await checkDatabase(redis, keys, { retentionMs: 60_000 })).toEqual([]);
});
