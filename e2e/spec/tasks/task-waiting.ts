import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectResponse } from '../expectations.ts';

/** docs/contract.md "Tasks": why a task waits. `no_worker`, which takes a minute, is tested in services/agents. */
export function specifyTaskWaiting(api: Api): void {
  const readWaiting = (task: Pick<Task, 'agent_id' | 'id'>) => api.get(`${pathOf(task)}/waiting`);
  const pause = (id: string) => api.call('PUT', `/agents/${id}/pause`);
  const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const untilReason = async (task: Task, reason: string) =>
    until(async () => ((await readWaiting(task)).json as { reason: string }).reason === reason);

  test('a request for tasks of the type that finds nothing is enough for in_line', async () => {
    const type = api.types[2];
    const body = { worker_id: 'e2e', types: [type], max_tasks: 20 };
    while ((await api.call('POST', '/leases', { body })).status === 201);
    const task = await api.createTask((await api.createAgent({ type })).id);
    await untilReason(task, 'in_line');
    expectResponse(await readWaiting(task), 200, { reason: 'in_line', since: task.created_at, ahead: 0 });
  });

  test('in_line tells how many tasks of the agent go before, by priority and age', async () => {
    const { id } = await api.createAgent();
    await api.requestLease(id);
    const [low, first, second] = [
      await api.createTask(id, { priority: 9 }),
      await api.createTask(id),
      await api.createTask(id),
    ];
    await untilReason(low, 'in_line');
    for (const [task, ahead] of [
      [low, 2],
      [first, 0],
      [second, 1],
    ] as const) {
      expectResponse(await readWaiting(task), 200, { reason: 'in_line', since: task.created_at, ahead });
    }
    await api.lease(id);
    expect((await readWaiting(second)).json).toMatchObject({ ahead: 0 });
  });

  test('a task that is scheduled for later waits since its creation, or its last change', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id, { scheduled_at: inOneHour() });
    expectResponse(await readWaiting(task), 200, { reason: 'scheduled', since: task.created_at });
    const body = { message: 'Later', scheduled_at: inOneHour() };
    const { updated_at } = expectStatus<Task>(await api.call('PUT', pathOf(task), { body }), 200);
    expectResponse(await readWaiting(task), 200, { reason: 'scheduled', since: updated_at });
  });

  test('a task whose retry is delayed waits since its last attempt failed', async () => {
    const { id } = await api.createAgent();
    const lease = await api.createRunning(id, { retry_policy: { strategy: 'fixed', delay_seconds: 600, jitter: 0 } });
    const { updated_at } = expectStatus<Task>(await api.report(lease, { status: 'failed' }), 200);
    expectResponse(await readWaiting(lease.task), 200, { reason: 'retry_delay', since: updated_at });
  });

  test('a pause comes before all other reasons, and then the reason is that of before', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id, { scheduled_at: inOneHour() });
    const { paused_at } = expectStatus<{ paused_at: string }>(await pause(id), 200);
    expectResponse(await readWaiting(task), 200, { reason: 'paused', since: paused_at });
    await api.call('DELETE', `/agents/${id}/pause`);
    expect((await readWaiting(task)).json).toMatchObject({ reason: 'scheduled' });
  });

  test('a task that is not pending waits for nothing, also while its agent is paused', async () => {
    const { id } = await api.createAgent();
    const lease = await api.createRunning(id);
    await pause(id);
    expectResponse(await readWaiting(lease.task), 200, { reason: null, since: null });
    await api.report(lease);
    expectResponse(await readWaiting(lease.task), 200, { reason: null, since: null });
  });
}
