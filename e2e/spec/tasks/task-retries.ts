import { expect, test } from '@jest/globals';
import { type Api, pathOf, type Task } from '../../harness/api.ts';
import {
  expectError,
  expectInvalid,
  expectResponse,
  STRONG_ETAG,
  TIMESTAMP,
  TRACEPARENT,
  UUID_V7,
} from '../expectations.ts';

const FIELDS = {
  message: 'Write the notes',
  input: { from: 'v1' },
  priority: 2,
  timeout_seconds: 60,
  max_attempts: 1,
  retry_policy: { strategy: 'fixed', delay_seconds: 1, max_delay_seconds: 9, jitter: 0 },
  tags: ['a', 'b'],
  metadata: { team: 'x', __proto__: null },
};

/** docs/contract.md "Tasks": retries. */
export function specifyTaskRetries(api: Api): void {
  const retry = (task: Task, body?: unknown, key?: string) =>
    api.call('POST', `${pathOf(task)}/retries`, { body, ...(key && { headers: { 'idempotency-key': key } }) });

  async function end(status = 'failed', fields = {}): Promise<Task> {
    const held = await api.createRunning((await api.createAgent()).id, { ...FIELDS, ...fields });
    return (await api.report(held, { status })).json as Task;
  }

  test('a retry is 201 with a new pending task like the ended one', async () => {
    const expires_at = new Date(Date.now() + 7_200_000).toISOString();
    const ended = await end('failed', { expires_at });
    const response = await retry(ended);
    const { id, created_at } = response.json as Task;
    expect(id).toMatch(UUID_V7);
    expectResponse(response, 201, {
      ...(await api.readTask(await api.createTask(ended.agent_id))),
      ...FIELDS,
      id,
      retry_of: ended.id,
      expires_at: new Date(Date.parse(created_at) + 86_400_000).toISOString(),
      traceparent: expect.stringMatching(TRACEPARENT),
      created_by: { id: expect.any(String), name: expect.any(String) },
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: created_at,
    });
    expect(response.headers.location).toBe(`/agents/${ended.agent_id}/tasks/${id}`);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    expectResponse(await api.get(String(response.headers.location)), 200, response.json);
    expect(await api.readTask(ended)).toEqual(ended);
  });

  test.each(['completed', 'failed', 'cancelled'])(
    'a task that is %s can be retried, more than once',
    async (status) => {
      const ended = await end(status);
      for (let times = 0; times < 2; times++) expect((await retry(ended)).status).toBe(201);
    },
  );

  test.each([
    ['an empty body', {}, { message: FIELDS.message, input: FIELDS.input }],
    ['another message', { message: 'Do that' }, { message: 'Do that', input: FIELDS.input }],
    ['another input', { input: [1] }, { message: FIELDS.message, input: [1] }],
    ['no input', { input: null }, { message: FIELDS.message, input: null }],
  ])('it takes %s', async (_what, body, expected) => {
    const response = await retry(await end(), body);
    expect(response.status).toBe(201);
    expect(response.json).toMatchObject(expected);
  });

  test('a retry is leased as any other task', async () => {
    const ended = await end();
    const { id } = (await retry(ended)).json as Task;
    const held = await api.lease(ended.agent_id);
    expect([held.task.id, held.attempt]).toEqual([id, 1]);
    expect((await api.report(held, { result: 1 })).json).toMatchObject({ status: 'completed', retry_of: ended.id });
  });

  test('a task that has not ended is 409, also for one that waits for its next attempt', async () => {
    const { id } = await api.createAgent();
    const pending = await api.createTask(id, { max_attempts: 2 });
    expectError(await retry(pending), 409, 'task_not_ended');
    const held = await api.lease(id);
    expectError(await retry(held.task), 409, 'task_not_ended');
    await api.report(held, { status: 'failed' });
    expectError(await retry(held.task), 409, 'task_not_ended');
    expect((await api.get(`/agents/${id}/tasks`)).headers['x-total-count']).toBe('1');
  });

  test.each([
    [['message'], { message: '' }],
    [['message', 'input'], { message: 5, input: 'x'.repeat(256 * 1_024) }],
    [['priority'], { priority: 1 }],
    [[''], []],
  ])('a bad body is 400 and names %j', async (paths, body) => {
    expectInvalid(await retry(await end(), body), ...paths);
  });

  test('a repeated retry with its Idempotency-Key is the same task, even after the ended one is deleted', async () => {
    const ended = await end();
    const key = crypto.randomUUID();
    const first = await retry(ended, {}, key);
    await api.call('DELETE', pathOf(ended));
    const second = await retry(ended, {}, key);
    expectResponse(second, 201, first.json);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.headers.location).toBe(first.headers.location);
    expectError(await retry(ended, { message: 'Other' }, key), 422, 'semantic_error');
    expect((await api.get(`/agents/${ended.agent_id}/tasks`)).headers['x-total-count']).toBe('1');
  });
}
