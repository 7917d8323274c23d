import { expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import {
  expectDetail,
  expectError,
  expectInvalid,
  expectNoBody,
  expectResponse,
  STRONG_ETAG,
} from '../expectations.ts';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** docs/contract.md "Tasks": PUT and DELETE. */
export function specifyTaskChanges(api: Api): void {
  const createTask = async (fields = {}) => api.createTask((await api.createAgent()).id, fields);
  const run = async () => api.createRunning((await api.createAgent()).id);
  const put = (task: Task, body: unknown) => api.call('PUT', pathOf(task), { body });
  const remove = (task: Task) => api.call('DELETE', pathOf(task));

  test('PUT replaces all client fields of a pending task, and omitted ones take their default', async () => {
    const fields = { message: 'Before', input: { a: 1 }, priority: 1, tags: ['x'], metadata: { m: 1 } };
    const task = await createTask({ ...fields, max_attempts: 5, timeout_seconds: 10, expires_at: inHours(1) });
    const before = (await api.get(pathOf(task))).headers.etag;
    const response = await put(task, { message: 'After', priority: 9, tags: ['y', 'z'] });
    const { updated_at } = response.json as Task;
    expectResponse(response, 200, {
      ...task,
      ...{ message: 'After', priority: 9, tags: ['y', 'z'], input: null, metadata: null },
      ...{ max_attempts: 3, timeout_seconds: 3600, updated_at },
      expires_at: new Date(Date.parse(task.created_at) + 24 * 3_600_000).toISOString(),
    });
    expect(String(updated_at) > task.created_at).toBe(true);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    expect(response.headers.etag).not.toBe(before);
    const read = await api.get(pathOf(task));
    expectResponse(read, 200, response.json);
    expect(read.headers.etag).toBe(response.headers.etag);
    const again = (await put(task, { message: 'After', priority: 9, tags: ['y', 'z'] })).json as Task;
    expect(again).toEqual({ ...(response.json as Task), updated_at: again.updated_at });
  });

  test('a replaced task is queued by its new priority and start', async () => {
    const first = await createTask();
    const second = await api.createTask(first.agent_id);
    expect((await put(second, { message: 'x', priority: 1 })).status).toBe(200);
    expect((await put(first, { message: 'x', scheduled_at: inHours(1) })).status).toBe(200);
    expect((await api.lease(first.agent_id, { max_tasks: 2 })).task.id).toBe(second.id);
    expectNoBody(await api.requestLease(first.agent_id), 204);
    expect((await put(first, { message: 'Now' })).status).toBe(200);
    expect((await api.lease(first.agent_id, { wait_seconds: 10 })).task).toMatchObject({
      id: first.id,
      message: 'Now',
    });
  });

  test('PUT on a running or ended task is 409 and changes nothing', async () => {
    const [running, completed, cancelled] = await Promise.all([run(), run(), run()]);
    const ends = [await api.report(completed), await api.report(cancelled, { status: 'cancelled' })];
    for (const task of [running.task, ...ends.map(({ json }) => json as Task)]) {
      expectError(await put(task, { message: 'x' }), 409, 'task_not_editable');
      expectResponse(await api.get(pathOf(task)), 200, task);
    }
  });

  test('PUT is 400 with an invalid body and 422 with an impossible one', async () => {
    const task = await createTask();
    expectInvalid(await put(task, { message: '', colour: 'red' }), 'message', 'colour');
    expectInvalid(await put(task, '{'), '');
    for (const fields of [{ expires_at: inHours(-1) }, { scheduled_at: inHours(-1) }, { retry_of: task.id }]) {
      expectError(await put(task, { message: 'x', ...fields }), 422, 'semantic_error');
    }
    expectResponse(await api.get(pathOf(task)), 200, task);
  });

  test('DELETE is 204 with an empty body, and removes the task from every list', async () => {
    const task = await createTask();
    const other = await api.createTask(task.agent_id);
    expectNoBody(await remove(task), 204);
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PUT', '', { message: 'x' }],
      ['DELETE', '', undefined],
      ['PUT', '/cancellation', undefined],
      ['GET', '/attempts', undefined],
      ['GET', '/events', undefined],
    ] as const) {
      expectDetail(await api.call(method, pathOf(task) + rest, { body }), 404, 'Task not found');
    }
    const list = await api.get(`/agents/${task.agent_id}/tasks`);
    expectResponse(list, 200, [other]);
    expect(list.headers['x-total-count']).toBe('1');
    expect((await api.lease(task.agent_id)).task.id).toBe(other.id);
  });

  test('DELETE of a running task, or of its agent, revokes the lease', async () => {
    const [byTask, byAgent] = await Promise.all([run(), run()]);
    expect((await remove(byTask.task)).status).toBe(204);
    expect((await api.readAgent(byTask.task.agent_id)).status).toBe('idle');
    expect((await api.call('DELETE', `/agents/${byAgent.task.agent_id}`)).status).toBe(204);
    for (const lease of [byTask, byAgent]) {
      expectDetail(await api.heartbeat(lease), 404, 'Lease not found');
      expectDetail(await api.report(lease), 404, 'Lease not found');
      expectDetail(await api.release(lease), 404, 'Lease not found');
    }
  });
}
