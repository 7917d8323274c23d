import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TASK_STATUSES } from '../src/tasks/task.ts';
import { type StartedService, startService } from './support/start-service.ts';

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('ends each task once and keeps the totals under many concurrent changes', async () => {
  const agentId = await service.createAgent();
  const tasks = `/agents/${agentId}/tasks`;
  await service.createTasks(agentId, 40, { max_attempts: 1 });
  const work = async () => {
    for (;;) {
      const { status, body } = await service.lease(agentId, { max_tasks: 2 });
      if (status === 204) return;
      for (const lease of body.leases) {
        await Promise.all([
          service.report(lease, { status: 'completed' }),
          service.report(lease, { status: 'failed' }),
          service.http.put(`${tasks}/${lease.task.id}/cancellation`),
        ]);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  const totals = await Promise.all(TASK_STATUSES.map((status) => service.total(`${tasks}?limit=1&status=${status}`)));
  expect(totals.slice(0, 2)).toEqual([0, 0]);
  expect(totals.reduce((sum, count) => sum + count)).toBe(40);
  const events = (await service.http.get(`/agents/${agentId}/events?limit=1000`)).body as { type: string }[];
  expect(events.filter(({ type }) => /^task\.(completed|failed|cancelled)$/.test(type))).toHaveLength(40);
});
