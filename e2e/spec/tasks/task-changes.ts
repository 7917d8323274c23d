import { expect, test } from '@jest/globals';
import type { Api, Task } from '../../harness/api.ts';
import type { CallOptions } from '../../harness/http-client.ts';
import { expectAnswer, expectDetail, expectError, expectInvalid, expectNoBody, STRONG_ETAG } from '../expectations.ts';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const pathOf = ({ agent_id, id }: Task) => `/agents/${agent_id}/tasks/${id}`;

/** docs/contract.md "Tasks": PUT and DELETE, and `If-Match` on both. */
export function specifyTaskChanges(api: Api): void {
  const createTask = async (fields = {}) => api.createTask((await api.createAgent()).id, fields);
  const put = (task: Task, body: unknown, headers: CallOptions['headers'] = {}) =>
    api.call('PUT', pathOf(task), { body, headers });
  const remove = (task: Task, headers: CallOptions['headers'] = {}) => api.call('DELETE', pathOf(task), { headers });
  const etagOf = async (task: Task) => String((await api.get(pathOf(task))).headers.etag);
  const lease = (agentId: string, fields = {}) =>
    api.call('POST', `/agents/${agentId}/leases`, { body: { worker_id: 'e2e', ...fields } });

  test('PUT replaces all client fields of a pending task, and omitted ones take their default', async () => {
    const fields = { message: 'Before', input: { a: 1 }, priority: 1, tags: ['x'], metadata: { m: 1 } };
    const task = await createTask({ ...fields, max_attempts: 5, timeout_seconds: 10, expires_at: inHours(1) });
    const before = await etagOf(task);
    const answer = await put(task, { message: 'After', priority: 9, tags: ['y', 'z'] });
    const { updated_at } = answer.json as Task;
    expectAnswer(answer, 200, {
      ...task,
      ...{ message: 'After', priority: 9, tags: ['y', 'z'], input: null, metadata: null },
      ...{ max_attempts: 3, timeout_seconds: 3600, updated_at },
      expires_at: new Date(Date.parse(task.created_at) + 24 * 3_600_000).toISOString(),
    });
    expect(String(updated_at) > task.created_at).toBe(true);
    expect(answer.headers.etag).toMatch(STRONG_ETAG);
    expect(answer.headers.etag).not.toBe(before);
    const read = await api.get(pathOf(task));
    expectAnswer(read, 200, answer.json);
    expect(read.headers.etag).toBe(answer.headers.etag);
    const again = (await put(task, { message: 'After', priority: 9, tags: ['y', 'z'] })).json as Task;
    expect(again).toEqual({ ...(answer.json as Task), updated_at: again.updated_at });
  });

  test('a replaced task is queued by its new priority and start', async () => {
    const first = await createTask();
    const second = await api.createTask(first.agent_id);
    expect((await put(second, { message: 'x', priority: 1 })).status).toBe(200);
    expect((await put(first, { message: 'x', scheduled_at: inHours(1) })).status).toBe(200);
    expect((await api.lease(first.agent_id, { max_tasks: 2 })).task.id).toBe(second.id);
    expectNoBody(await lease(first.agent_id), 204);
    expect((await put(first, { message: 'Now' })).status).toBe(200);
    expect((await api.lease(first.agent_id, { wait_seconds: 10 })).task).toMatchObject({
      id: first.id,
      message: 'Now',
    });
  });

  test('PUT on a running or ended task is 409 and changes nothing', async () => {
    const running = await api.createRunning((await api.createAgent()).id);
    const ends = await Promise.all(
      ['completed', 'cancelled'].map(async (status) => {
        const held = await api.createRunning((await api.createAgent()).id);
        return (await api.report(held, { status })).json as Task;
      }),
    );
    for (const task of [running.task, ...ends]) {
      expectError(await put(task, { message: 'x' }), 409, 'task_not_editable');
      expectAnswer(await api.get(pathOf(task)), 200, task);
    }
  });

  test('PUT is 400 with an invalid body, 422 with an impossible one, and 404 without the agent or the task', async () => {
    const task = await createTask();
    expectInvalid(await put(task, { message: '', colour: 'red' }), 'message', 'colour');
    expectInvalid(await put(task, '{'), '');
    for (const fields of [{ expires_at: inHours(-1) }, { scheduled_at: inHours(-1) }, { retry_of: task.id }]) {
      expectError(await put(task, { message: 'x', ...fields }), 422, 'semantic_error');
    }
    expectAnswer(await api.get(pathOf(task)), 200, task);
    for (const body of ['{', { message: 'x' }]) {
      expectDetail(await put({ ...task, id: 'missing' }, body), 404, 'Task not found');
      expectDetail(await put({ ...task, agent_id: 'missing' }, body), 404, 'Agent not found');
    }
  });

  test('PUT and DELETE honor If-Match', async () => {
    const task = await createTask();
    const etag = await etagOf(task);
    for (const tag of ['"stale"', `W/${etag}`, 'garbled']) {
      expectError(await put(task, { message: 'x' }, { 'if-match': tag }), 412, 'precondition_failed');
      expectError(await remove(task, { 'if-match': tag }), 412, 'precondition_failed');
    }
    expectAnswer(await api.get(pathOf(task)), 200, task);
    const answer = await put(task, { message: 'One' }, { 'if-match': `"other", ${etag}` });
    expect(answer.status).toBe(200);
    expect((await put(task, { message: 'Two' }, { 'if-match': '*' })).status).toBe(200);
    expectError(await remove(task, { 'if-match': String(answer.headers.etag) }), 412, 'precondition_failed');
    expectNoBody(await remove(task, { 'if-match': await etagOf(task) }), 204);
  });

  test('exactly one of many concurrent replacements with the same If-Match succeeds', async () => {
    const task = await createTask();
    const headers = { 'if-match': await etagOf(task) };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(task, { message: `Writer ${at}` }, headers)),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expectAnswer(await api.get(pathOf(task)), 200, winners[0]?.json);
  });

  test('DELETE is 204 with an empty body, and the task is gone from every list', async () => {
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
    expectAnswer(list, 200, [other]);
    expect(list.headers['x-total-count']).toBe('1');
    expect((await api.lease(task.agent_id)).task.id).toBe(other.id);
    expectDetail(await remove({ ...task, agent_id: 'missing' }), 404, 'Agent not found');
  });

  test('DELETE of a running task, or of its agent, revokes the lease', async () => {
    const held = await Promise.all([1, 2].map(async () => api.createRunning((await api.createAgent()).id)));
    const [byTask, byAgent] = held;
    expect((await remove(byTask?.task as Task)).status).toBe(204);
    expect((await api.readAgent(byTask?.task.agent_id as string)).status).toBe('idle');
    expect((await api.call('DELETE', `/agents/${byAgent?.task.agent_id}`)).status).toBe(204);
    for (const lease of held) {
      expectDetail(await api.heartbeat(lease), 404, 'Lease not found');
      expectDetail(await api.report(lease), 404, 'Lease not found');
      expectDetail(await api.release(lease), 404, 'Lease not found');
    }
  });
}
