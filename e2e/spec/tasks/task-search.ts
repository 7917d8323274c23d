import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import { expectInvalid, expectResponse } from '../expectations.ts';

const tasksOf = (response: HttpResponse) => response.json as Task[];

/** docs/contract.md "Tasks": `GET /tasks`. */
export function specifyTaskSearch(api: Api): void {
  // Tasks outside of this test do not have this tag.
  const tag = `e2e ${crypto.randomUUID()}`;
  let one: Agent;
  let two: Agent;
  let other: Agent;
  /** In the order of their creation. */
  let tasks: Task[];

  beforeAll(async () => {
    one = await api.createAgent({ type: api.types[1] });
    two = await api.createAgent({ type: api.types[1] });
    other = await api.createAgent({ type: api.types[2] });
    tasks = [];
    for (const [agent, tags] of [
      [one, [tag, 'red']],
      [two, [tag]],
      [one, [tag, tag]],
      [other, [tag, `${tag} more`]],
      [one, null],
    ] as const) {
      tasks.push(await api.createTask(agent.id, { tags }));
    }
    const cancelled = tasks[2] as Task;
    const { json } = await api.cancel(cancelled);
    tasks[2] = json as Task;
  });
  afterAll(async () => {
    for (const { id } of [one, two, other]) await api.call('DELETE', `/agents/${id}`);
  });

  const search = (filter: Record<string, string>) => api.get(`/tasks?${new URLSearchParams(filter)}`);
  async function expectFound(filter: Record<string, string>, ...indexes: number[]): Promise<void> {
    const response = await search(filter);
    expectResponse(
      response,
      200,
      indexes.map((index) => tasks[index]),
    );
    expect(response.headers['x-total-count']).toBe(String(indexes.length));
  }

  test('filters are combined, over all agents and oldest first', async () => {
    await expectFound({ tag }, 0, 1, 2, 3);
    await expectFound({ tag, status: 'pending' }, 0, 1, 3);
    await expectFound({ tag, status: 'cancelled' }, 2);
    await expectFound({ tag, type: one.type }, 0, 1, 2);
    await expectFound({ tag, type: one.type, status: 'pending' }, 0, 1);
    await expectFound({ tag, agent_id: one.id }, 0, 2);
    await expectFound({ tag, agent_id: one.id, status: 'cancelled' }, 2);
    await expectFound({ tag, agent_id: one.id, type: one.type, status: 'pending' }, 0);
    await expectFound({ tag: `${tag} more` }, 3);
    await expectFound({ agent_id: one.id }, 0, 2, 4);
    await expectFound({ agent_id: one.id, status: 'pending' }, 0, 4);
    await expectFound({ agent_id: one.id, type: one.type }, 0, 2, 4);
  });

  test('a search without filters, or with empty ones, finds all tasks', async () => {
    const all = await api.get('/tasks?limit=1');
    expect(Number(all.headers['x-total-count'])).toBeGreaterThanOrEqual(5);
    const empty = await search({ status: '', type: '', agent_id: '', tag: '', limit: '1' });
    expectResponse(empty, 200, all.json);
    expect(empty.headers['x-total-count']).toBe(all.headers['x-total-count']);
    const pending = tasksOf(await search({ type: one.type, status: 'pending', limit: '1000' }));
    expect(pending.every(({ status }) => status === 'pending')).toBe(true);
    expect(pending.map(({ id }) => id)).toEqual(expect.arrayContaining([0, 1, 4].map((at) => tasks[at]?.id)));
  });

  test('a filter that no task matches finds none', async () => {
    for (const value of ['nope', 'fleet', '*', 'x:y', '\u0000', '__proto__', '😀', 'x'.repeat(2_000)]) {
      for (const name of ['status', 'type', 'agent_id', 'tag']) {
        await expectFound({ [name]: value });
        await expectFound({ tag, [name]: value });
      }
    }
    await expectFound({ agent_id: one.id, type: other.type });
    await expectFound({ agent_id: other.id, tag, status: 'cancelled' });
  });

  test('a repeated filter is 400', async () => {
    for (const name of ['status', 'type', 'agent_id', 'tag']) {
      expectInvalid(await api.get(`/tasks?${name}=a&${name}=b`), name);
    }
  });

  test('the list of an agent and the search find each task by its status and by no other', async () => {
    const agent = await api.createAgent();
    const list = `/agents/${agent.id}/tasks`;
    for (const status of ['completed', 'failed', 'cancelled', 'running']) {
      const held = await api.createRunning(agent.id, { message: status, max_attempts: 1 });
      if (status !== 'running') await api.report(held, { status });
    }
    await api.createTask(agent.id, { message: 'pending' });
    const all = tasksOf(await api.get(list));
    expect(all.map(({ message, status }) => [message, status])).toEqual(all.map(({ message }) => [message, message]));
    expect(all).toHaveLength(5);
    for (const task of all) {
      for (const path of [`${list}?status=${task.status}`, `/tasks?agent_id=${agent.id}&status=${task.status}`]) {
        const response = await api.get(path);
        expectResponse(response, 200, [task]);
        expect(response.headers['x-total-count']).toBe('1');
      }
    }
  });

  test('a changed task is found by its new values', async () => {
    const before = `${tag} before`;
    const after = `${tag} äfter/:&😀`;
    const agent = await api.createAgent({ type: api.types[1] });
    const task = await api.createTask(agent.id, { tags: [before] });
    const path = `/agents/${agent.id}/tasks/${task.id}`;
    const body = { message: 'x', tags: [after], scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const replaced = (await api.call('PUT', path, { body })).json as Task;
    expectResponse(await search({ tag: before }), 200, []);
    expectResponse(await search({ tag: after, agent_id: agent.id }), 200, [replaced]);
    await api.call('PUT', `/agents/${agent.id}`, { body: { name: 'x', type: api.types[2] } });
    expectResponse(await search({ tag: after, type: String(api.types[1]) }), 200, []);
    expectResponse(await search({ tag: after, type: String(api.types[2]) }), 200, [replaced]);
    await api.call('DELETE', path);
    expectResponse(await search({ tag: after }), 200, []);
    await api.createTask(agent.id, { tags: [after], scheduled_at: body.scheduled_at });
    await api.call('DELETE', `/agents/${agent.id}`);
    expectResponse(await search({ tag: after }), 200, []);
  });
}
