import { expect, test } from '@jest/globals';
import type { Api, Task } from '../../harness/api.ts';
import { expectInvalid, expectJson, expectResponse } from '../expectations.ts';

interface BatchResult {
  status: number;
  task?: Task;
  error?: { error: string; details: { fields: { path: string }[] } };
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** docs/contract.md "Tasks": batches. */
export function specifyTaskBatches(api: Api): void {
  const post = (agentId: string, body: unknown) => api.call('POST', `/agents/${agentId}/task-batches`, { body });
  const resultsOf = (response: { json: unknown }) => (response.json as { results: BatchResult[] }).results;

  test('each task of a batch has its result in order, and an invalid one does not affect the others', async () => {
    const agent = await api.createAgent();
    const cases: [task: unknown, status: number, ...paths: string[]][] = [
      [{ message: 'First', tags: ['x'] }, 201],
      [{ message: '' }, 400, 'message'],
      [{ message: 'Late', expires_at: inHours(-1) }, 422, 'expires_at'],
      [{ message: 'Second', priority: 1 }, 201],
      [5, 400, ''],
      [null, 400, ''],
      [{ message: 'Retry', retry_of: 'nothing' }, 422, 'retry_of'],
      [{ message: 'x', colour: 'red', priority: 0 }, 400, 'priority', 'colour'],
      [{ message: 'Third' }, 201],
    ];
    const response = await post(agent.id, { tasks: cases.map(([task]) => task) });
    expect(response.status).toBe(201);
    expectJson(response);
    const seen = resultsOf(response).map(({ status, error }) => [
      status,
      ...(error?.details.fields ?? []).map(({ path }) => path),
    ]);
    expect(seen).toEqual(cases.map(([, ...expected]) => expected));
    const errors = resultsOf(response).flatMap(({ error }) => error?.error ?? []);
    expect(new Set(errors)).toEqual(new Set(['validation_error', 'semantic_error']));
    const tasks = resultsOf(response).flatMap(({ task }) => task ?? []);
    expect(tasks.map(({ message }) => message)).toEqual(['First', 'Second', 'Third']);
    expectResponse(await api.get(`/agents/${agent.id}/tasks`), 200, tasks);
    expect((await api.lease(agent.id)).task.message).toBe('Second');
  });

  test('a batch creates 500 tasks, which are leased in their order', async () => {
    const agent = await api.createAgent();
    const response = await post(agent.id, {
      tasks: Array.from({ length: 500 }, (_, at) => ({ message: `Task ${at}` })),
    });
    const tasks = resultsOf(response).map(({ task }) => task as Task);
    expect(tasks.map(({ message }) => message)).toEqual(Array.from({ length: 500 }, (_, at) => `Task ${at}`));
    expect((await api.get(`/agents/${agent.id}/tasks?limit=1000`)).json).toEqual(tasks);
    const { json } = await api.requestLease(agent.id, { max_tasks: 20 });
    const leased = (json as { leases: { task: Task }[] }).leases.map(({ task }) => task.id);
    expect(leased).toEqual(tasks.slice(0, 20).map(({ id }) => id));
  });

  test('a batch of only invalid tasks creates none', async () => {
    const agent = await api.createAgent();
    const response = await post(agent.id, { tasks: [{}, { message: 5 }] });
    expect(response.status).toBe(201);
    expect(resultsOf(response).map(({ status }) => status)).toEqual([400, 400]);
    expectResponse(await api.get(`/agents/${agent.id}/tasks`), 200, []);
  });

  test.each([
    ['no tasks', { tasks: [] }, 'tasks'],
    ['501 tasks', { tasks: Array(501).fill({ message: 'x' }) }, 'tasks'],
    ['no list', { tasks: { message: 'x' } }, 'tasks'],
    ['nothing', {}, 'tasks'],
  ])('%s is 400 and creates none', async (_what, body, path) => {
    const agent = await api.createAgent();
    expectInvalid(await post(agent.id, body), path);
    expectResponse(await api.get(`/agents/${agent.id}/tasks`), 200, []);
  });
}
