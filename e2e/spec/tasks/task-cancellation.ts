import { expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import { expectError, expectInvalid, expectNoBody, expectResponse, TIMESTAMP } from '../expectations.ts';

/** docs/contract.md "Tasks": cancellation. */
export function specifyTaskCancellation(api: Api): void {
  const createTask = async (fields = {}) => api.createTask((await api.createAgent()).id, fields);
  const run = async (fields = {}) => api.createRunning((await api.createAgent()).id, fields);
  const cancel: Api['cancel'] = (task, body) => api.cancel(task, body);

  test('cancelling a pending task is 200 with the task, also when repeated', async () => {
    const task = await createTask();
    const response = await cancel(task, { reason: 'Changed my mind' });
    const { updated_at } = response.json as Task;
    expectResponse(response, 200, {
      ...task,
      status: 'cancelled',
      error: { code: 'cancelled', message: 'Changed my mind', retryable: false },
      completed_at: updated_at,
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    expectResponse(await cancel(task, { reason: 'Another one' }), 200, response.json);
    expectResponse(await cancel(task), 200, response.json);
    expectNoBody(await api.requestLease(task.agent_id), 204);
    expect((await api.readAgent(task.agent_id)).status).toBe('idle');
  });

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['a reason that is null', { reason: null }],
    ['a reason of 1024 emoji', { reason: '😀'.repeat(1_024) }],
  ])('it takes %s', async (_what, body) => {
    const response = await cancel(await createTask(), body);
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
  });

  test.each([
    [['reason'], { reason: '' }],
    [['reason'], { reason: 'x'.repeat(1_025) }],
    [['reason', 'colour'], { reason: 5, colour: 'red' }],
    [[''], []],
  ])('a bad body is 400 and names %j; nothing is cancelled', async (paths, body) => {
    const task = await createTask();
    expectInvalid(await cancel(task, body), ...paths);
    expect(await api.readTask(task)).toEqual(task);
  });

  test('cancelling a running task is 202, also when repeated, and the heartbeat of its worker reports it', async () => {
    const held = await run();
    expect((await api.heartbeat(held)).json).toMatchObject({ cancel_requested: false });
    const response = await cancel(held.task, { reason: 'No longer needed' });
    const { cancel_requested_at } = response.json as Task;
    expectResponse(response, 202, { ...held.task, cancel_requested_at, updated_at: cancel_requested_at });
    expect(cancel_requested_at).toMatch(TIMESTAMP);
    expectResponse(await cancel(held.task), 202, response.json);
    expect((await api.heartbeat(held)).json).toMatchObject({ cancel_requested: true });
    const ended = await api.report(held, { status: 'cancelled' });
    expect(ended.status).toBe(200);
    expect(ended.json).toMatchObject({ status: 'cancelled', error: { message: 'No longer needed' } });
    expectResponse(await cancel(held.task), 200, ended.json);
    expect((await api.readAgent(held.task.agent_id)).status).toBe('idle');
  });

  test('a worker may still complete a task under cancellation, which is 409 to cancel then', async () => {
    const held = await run();
    await cancel(held.task);
    const ended = await api.report(held, { result: 1 });
    expect(ended.json).toMatchObject({ status: 'completed', result: 1, error: null });
    expectError(await cancel(held.task), 409, 'task_not_cancellable');
    expectResponse(await api.get(pathOf(held.task)), 200, ended.json);
  });

  test('a task under cancellation is not retried when its worker fails or releases it', async () => {
    const [failing, releasing] = await Promise.all([run(), run()]);
    await Promise.all([failing, releasing].map(({ task }) => cancel(task)));
    expect((await api.report(failing, { status: 'failed' })).json).toMatchObject({ status: 'cancelled' });
    expectNoBody(await api.release(releasing), 204);
    expect((await api.readTask(releasing.task)).status).toBe('cancelled');
  });

  test('cancelling a failed task is 409', async () => {
    const held = await run({ max_attempts: 1 });
    await api.report(held, { status: 'failed' });
    expectError(await cancel(held.task), 409, 'task_not_cancellable');
  });

  test('exactly one of a concurrent cancellation and lease succeeds', async () => {
    const { id } = await api.createAgent();
    const tasks = await Promise.all(Array.from({ length: 20 }, () => api.createTask(id)));
    const [leases, ...responses] = await Promise.all([
      api.requestLease(id, { max_tasks: 20 }),
      ...tasks.map((task) => cancel(task)),
    ]);
    const { leases: held = [] } = Object(leases.json) as { leases?: { task: Task }[] };
    const leased = new Set(held.map(({ task }) => task.id));
    responses.forEach(({ status, json }, at) => {
      const { id: taskId, status: became } = json as Task;
      expect(taskId).toBe(tasks[at]?.id);
      expect([status, became]).toEqual(leased.has(taskId) ? [202, 'running'] : [200, 'cancelled']);
    });
  });
}
