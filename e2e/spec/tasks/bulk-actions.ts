import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import { expectError, expectInvalid, expectResponse, TIMESTAMP, UUID_V7 } from '../expectations.ts';

interface BulkAction {
  id: string;
  state: string;
  matched: number;
  done: number;
  [field: string]: unknown;
}

/** docs/contract.md "Bulk actions". */
export function specifyBulkActions(api: Api): void {
  const post = (body: unknown, headers = {}) => api.call('POST', '/bulk-actions', { body, headers });
  const read = async (id: string) => (await api.get(`/bulk-actions/${id}`)).json as BulkAction;
  const untilEnded = (id: string) => until(() => read(id), { holds: ({ state }) => state !== 'running' });
  const count = async (action: string, filter: unknown) =>
    ((await post({ action, filter, dry_run: true })).json as { matched: number }).matched;

  async function run(action: string, filter: unknown): Promise<BulkAction> {
    const response = await post({ action, filter });
    const { id } = response.json as BulkAction;
    expect(response.status).toBe(202);
    return untilEnded(id);
  }

  const tasksOf = async ({ id }: Agent) => (await api.get(`/agents/${id}/tasks?limit=1000`)).json as Task[];
  const statusesOf = async (agent: Agent) => (await tasksOf(agent)).map(({ status }) => status);

  /** An agent with a task of each status: cancelled, completed, failed, pending, running. */
  async function createBusyAgent(fields: Record<string, unknown> = {}): Promise<Agent> {
    const agent = await api.createAgent();
    for (const status of ['cancelled', 'completed', 'failed']) {
      await api.report(await api.createRunning(agent.id, { max_attempts: 1, ...fields }), { status });
    }
    await api.createRunning(agent.id, fields);
    await api.createTask(agent.id, fields);
    return agent;
  }

  test('POST is 202 with id, number of tasks and Location, and GET has its progress', async () => {
    const agent = await createBusyAgent();
    const response = await post({ action: 'delete', filter: { agent_id: agent.id } });
    const { id } = response.json as BulkAction;
    expect(id).toMatch(UUID_V7);
    expectResponse(response, 202, { id, matched: 3 });
    expect(response.headers.location).toBe(`/bulk-actions/${id}`);
    const ended = await untilEnded(id);
    expect(ended).toEqual({
      id,
      action: 'delete',
      state: 'completed',
      matched: 3,
      done: 3,
      failed: 0,
      failures: [],
      created_at: expect.stringMatching(TIMESTAMP),
      ended_at: expect.stringMatching(TIMESTAMP),
    });
    expect(await statusesOf(agent)).toEqual(['running', 'pending']);
  });

  test('cancel changes living tasks only, and only asks the worker of a running one', async () => {
    const agent = await createBusyAgent();
    expect(await run('cancel', { agent_id: agent.id })).toMatchObject({ matched: 2, done: 2 });
    const tasks = await tasksOf(agent);
    expect(tasks.map(({ status }) => status)).toEqual(['cancelled', 'completed', 'failed', 'running', 'cancelled']);
    expect(tasks[3]?.cancel_requested_at).toMatch(TIMESTAMP);
    expect(tasks[4]?.error).toEqual({ code: 'cancelled', message: 'Cancelled', retryable: false });
    expect(await run('cancel', { agent_id: agent.id })).toMatchObject({ matched: 1, done: 0, failed: 0 });
  });

  test('retry creates a new task like each ended one, as retries do', async () => {
    const agent = await createBusyAgent({ input: { a: 1 }, tags: ['x'], priority: 2 });
    expect(await run('retry', { agent_id: agent.id, status: ['failed', 'cancelled'] })).toMatchObject({ done: 2 });
    const tasks = await tasksOf(agent);
    const [cancelled, , failed] = tasks;
    const retries = tasks.slice(5);
    expect(retries.map(({ retry_of }) => retry_of).sort()).toEqual([cancelled?.id, failed?.id].sort());
    for (const { status, input, tags, priority, message } of retries) {
      expect({ status, input, tags, priority, message }).toEqual({
        status: 'pending',
        input: { a: 1 },
        tags: ['x'],
        priority: 2,
        message: 'Do it',
      });
    }
  });

  test('dry_run is 200 with the number of tasks, and changes nothing', async () => {
    const agent = await createBusyAgent();
    const before = await tasksOf(agent);
    for (const [action, matched] of Object.entries({ cancel: 2, retry: 3, delete: 3 })) {
      const response = await post({ action, filter: { agent_id: agent.id }, dry_run: true });
      expectResponse(response, 200, { matched });
      expect(response.headers.location).toBeUndefined();
    }
    expect(await tasksOf(agent)).toEqual(before);
  });

  test('a task must match all conditions, as in a search', async () => {
    const tag = `bulk ${crypto.randomUUID()}`;
    const agent = await createBusyAgent({ tags: [tag] });
    const [first, second] = (await tasksOf(agent)) as [Task, Task];
    for (const [filter, matched] of [
      [{ tag }, 3],
      [{ tag, status: 'completed,failed' }, 2],
      [{ tag, status: ['completed', 'completed', 'nope'] }, 1],
      [{ tag, status: ['pending'] }, 0],
      [{ tag, type: agent.type, agent_id: agent.id }, 3],
      [{ tag, type: api.types[2] }, 0],
      [{ tag, worker_id: 'e2e' }, 3],
      [{ tag, worker_id: 'nobody' }, 0],
      [{ id: first.id }, 1],
      [{ id: first.id, tag: 'other' }, 0],
      [{ tag, created_after: second.created_at }, 1],
      [{ tag, created_before: second.created_at }, 1],
      // Of a part of a ms, as in a search.
      [{ tag, created_after: second.created_at.replace('Z', '9z') }, 1],
      [{ tag, created_before: second.created_at.replace('Z', '9z') }, 2],
      [{ tag: '*' }, 0],
      [{ agent_id: 'fleet:*' }, 0],
    ] as const) {
      expect({ filter, matched: await count('retry', filter) }).toEqual({ filter, matched });
    }
    expect(await run('delete', { tag, created_before: second.created_at })).toMatchObject({ matched: 1, done: 1 });
    expect((await tasksOf(agent)).map(({ id }) => id)).not.toContain(first.id);
  });

  test.each([
    ['no filter', ['filter'], { action: 'cancel' }],
    ['an empty filter', ['filter'], { action: 'cancel', filter: {} }],
    ['a filter of nulls', ['filter'], { action: 'cancel', filter: { created_before: null } }],
    ['a filter that is a list', ['filter'], { action: 'cancel', filter: [] }],
    ['an unknown condition', ['filter.colour'], { action: 'cancel', filter: { status: 'pending', colour: 'red' } }],
    [
      'conditions without a value',
      ['filter.status', 'filter.tag'],
      { action: 'cancel', filter: { status: [], tag: '' } },
    ],
    [
      'conditions of a wrong type',
      ['filter.status', 'filter.type'],
      { action: 'cancel', filter: { status: 5, type: {} } },
    ],
    ['times that are none', ['filter.created_after'], { action: 'cancel', filter: { created_after: 'yesterday' } }],
    ['another action', ['action'], { action: 'pause', filter: { status: 'pending' } }],
    ['a dry_run that is a text', ['dry_run'], { action: 'cancel', filter: { status: 'pending' }, dry_run: 'true' }],
  ])('%s is 400', async (_what, paths, body) => {
    expectInvalid(await post(body), ...paths);
  });

  test('DELETE stops an action; of one that has ended it is 409', async () => {
    const agent = await api.createAgent();
    for (let batch = 0; batch < 4; batch++) await api.createTasks(agent.id, 500);
    const { id } = (await post({ action: 'cancel', filter: { agent_id: agent.id } })).json as BulkAction;
    await until(() => read(id), { holds: ({ done }) => done > 0, pollMs: 1 });
    const response = await api.call('DELETE', `/bulk-actions/${id}`);
    expectResponse(response, 200, await read(id));
    const stopped = response.json as BulkAction;
    expect(stopped).toMatchObject({ state: 'stopped', matched: 2_000, ended_at: expect.stringMatching(TIMESTAMP) });
    expect(stopped.done).toBeLessThan(2_000);
    const cancelled = await api.get(`/agents/${agent.id}/tasks?status=cancelled&limit=1`);
    expect(Number(cancelled.headers['x-total-count'])).toBe(stopped.done);
    const { id: ended } = await run('cancel', { agent_id: 'nobody' });
    expect(await read(id)).toEqual(stopped);
    for (const one of [id, ended])
      expectError(await api.call('DELETE', `/bulk-actions/${one}`), 409, 'bulk_action_ended');
  });

  test('a repeated Idempotency-Key creates no second action', async () => {
    const agent = await createBusyAgent();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { action: 'retry', filter: { agent_id: agent.id } };
    const first = await post(body, headers);
    await untilEnded((first.json as BulkAction).id);
    const again: HttpResponse = await post(body, headers);
    expectResponse(again, 202, first.json);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers.location).toBe(first.headers.location);
    expect(await tasksOf(agent)).toHaveLength(8);
    expectError(await post({ ...body, action: 'delete' }, headers), 422, 'semantic_error');
  });
}
