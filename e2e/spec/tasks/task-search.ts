import { until } from '@agent-fleet/shared/testing/until';
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
    // Again where others create or delete a task in between.
    const isSame = async () => {
      const [all, empty] = [
        await api.get('/tasks?limit=1'),
        await search({ status: '', type: '', agent_id: '', tag: '', limit: '1' }),
      ];
      const [total, found] = [all, empty].map(({ headers }) => Number(headers['x-total-count']));
      return Number(total) >= 5 && total === found && all.text === empty.text;
    };
    expect(await until(isSame)).toBe(true);
    const pending = tasksOf(await search({ type: one.type, status: 'pending', limit: '1000' }));
    expect(pending.every(({ status }) => status === 'pending')).toBe(true);
    expect(pending.map(({ id }) => id)).toEqual(expect.arrayContaining([0, 1, 4].map((at) => tasks[at]?.id)));
  });

  test('a filter that no task matches finds none', async () => {
    for (const value of ['nope', 'fleet', '*', 'x:y', '\u0000', '__proto__', '😀', 'x'.repeat(2_000)]) {
      for (const name of ['status', 'type', 'agent_id', 'tag', 'worker_id', 'id']) {
        await expectFound({ [name]: value });
        await expectFound({ tag, [name]: value });
      }
    }
    await expectFound({ agent_id: one.id, type: other.type });
    await expectFound({ agent_id: other.id, tag, status: 'cancelled' });
  });

  test('a repeated filter is 400', async () => {
    for (const name of ['status', 'type', 'agent_id', 'tag', 'worker_id', 'id', 'created_after', 'created_before']) {
      expectInvalid(await api.get(`/tasks?${name}=a&${name}=b`), name);
    }
  });

  test('status is a list, of which unknown ones match nothing', async () => {
    await expectFound({ tag, status: 'cancelled,pending' }, 0, 1, 2, 3);
    await expectFound({ tag, status: 'cancelled,cancelled,nope' }, 2);
    await expectFound({ tag, status: 'nope,Pending, pending' });
    await expectFound({ tag, status: ',' });
    await expectFound({ tag, status: 'pending,running,completed,failed,cancelled' }, 0, 1, 2, 3);
    const list = `/agents/${one.id}/tasks`;
    expectResponse(await api.get(`${list}?status=cancelled,running&order=desc`), 200, [tasks[2]]);
    const page = await api.get(`${list}?status=cancelled,pending&limit=1&skip=1&order=desc`);
    expectResponse(page, 200, [tasks[2]]);
    expect(page.headers['x-total-count']).toBe('3');
    expectResponse(await api.get(`${list}?status=,nope`), 200, []);
  });

  test('created_after and created_before are exclusive, in any RFC 3339 form', async () => {
    const at = Number(new Date((tasks[1] as Task).created_at));
    const isAfter = (time: number) =>
      tasks.flatMap((task, index) => (index < 4 && Date.parse(task.created_at) > time ? [index] : []));
    const isBefore = (time: number) =>
      tasks.flatMap((task, index) => (index < 4 && Date.parse(task.created_at) < time ? [index] : []));
    const time = new Date(at).toISOString();
    await expectFound({ tag, created_after: time }, ...isAfter(at));
    await expectFound({ tag, created_before: time }, ...isBefore(at));
    await expectFound({ tag, created_before: time.toLowerCase().replace('z', '1z') }, ...isBefore(at + 1));
    await expectFound({ tag, created_after: `${time.replace('Z', '9999999999')}Z` }, ...isAfter(at));
    const inParis = new Date(at + 7_200_000).toISOString().replace('Z', '+02:00');
    await expectFound({ tag, created_after: inParis, order: 'asc' }, ...isAfter(at));
    await expectFound(
      { tag, created_after: '0000-01-01T00:00:00Z', created_before: '9999-12-31T23:59:59.9999Z' },
      0,
      1,
      2,
      3,
    );
    await expectFound({ tag, created_after: time, created_before: time });
    await expectFound({ tag, created_after: '', created_before: '' }, 0, 1, 2, 3);
    for (const text of [
      'yesterday',
      '1',
      String(at),
      '2026-11-25',
      '2026-02-30T00:00:00Z',
      '2026-11-25T10:00:00',
      ' ',
      'null',
    ]) {
      expectInvalid(
        await search({ tag, created_after: text, created_before: text }),
        'created_after',
        'created_before',
      );
    }
    expectInvalid(await api.get('/tasks?created_after=2026-11-25T10:00:00+02:00'), 'created_after');
  });

  test('id finds one task, if it also matches the other filters', async () => {
    const [task, , other] = tasks as [Task, Task, Task];
    await expectFound({ id: task.id }, 0);
    await expectFound({ id: task.id, tag, agent_id: one.id, type: one.type, status: 'running,pending' }, 0);
    expectResponse(await search({ id: other.id, fields: 'status' }), 200, [{ id: other.id, status: 'cancelled' }]);
    await expectFound({ id: task.id, tag: 'nope' });
    await expectFound({ id: task.id, agent_id: two.id });
    await expectFound({ id: task.id, status: 'cancelled' });
    await expectFound({ id: task.id, created_before: task.created_at });
    await expectFound({ id: task.id, created_before: '9999-12-31T23:59:59-14:00' }, 0);
    await expectFound({ id: task.id, worker_id: 'any' });
    const missing = [
      '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12',
      task.id.toUpperCase(),
      `${task.id} `,
      `${task.id},${other.id}`,
    ];
    for (const id of [...missing, one.id]) await expectFound({ id });
    const skipped = await search({ id: task.id, skip: '1' });
    expectResponse(skipped, 200, []);
    expect(skipped.headers['x-total-count']).toBe('1');
  });

  test('id finds a task only after another one that precedes it in the order', async () => {
    const [before, task, after] = tasks.map(({ id }) => id).toSorted() as [string, string, string];
    const list = { id: task };
    for (const [order, first, last] of [
      ['asc', before, after],
      ['desc', after, before],
    ] as const) {
      const found = await search({ ...list, order, after: first });
      expect([(found.json as Task[]).map(({ id }) => id), found.headers['x-total-count']]).toEqual([[task], '1']);
      for (const cursor of [task, last]) {
        const none = await search({ ...list, order, after: cursor });
        expectResponse(none, 200, []);
        expect([none.headers['x-total-count'], none.headers.link]).toEqual(['1', undefined]);
      }
    }
    expectInvalid(await search({ ...list, after: before, skip: '1001' }), 'skip');
  });

  test('worker_id finds the tasks of the current or last worker, also with other filters', async () => {
    const worker = `w:status:running %/${crypto.randomUUID()}`;
    const agents = [await api.createAgent({ type: api.types[1] }), await api.createAgent({ type: api.types[2] })];
    const found: Task[] = [];
    for (const [at, { id }] of agents.entries()) {
      for (const status of ['completed', 'running', 'failed']) {
        const given = { message: 'x', max_attempts: 1, tags: [status] };
        await api.createTask(id, given);
        const held = await api.lease(id, { worker_id: worker });
        if (status !== 'running') await api.report(held, { status });
        found.push((await api.get(`/agents/${id}/tasks/${held.task.id}`)).json as Task);
      }
      await api.createTask(id, { tags: ['completed', String(at)] });
    }
    const expectTasks = async (filter: Record<string, string>, matches: (task: Task) => boolean) => {
      for (const order of ['asc', 'desc']) {
        const expected = found.filter(matches);
        const response = await search({ worker_id: worker, order, ...filter });
        expectResponse(response, 200, order === 'asc' ? expected : expected.reverse());
        expect(response.headers['x-total-count']).toBe(String(expected.length));
      }
    };
    await expectTasks({}, () => true);
    await expectTasks({ status: 'running' }, ({ status }) => status === 'running');
    await expectTasks({ status: 'failed,completed,pending' }, ({ status }) => status !== 'running');
    await expectTasks({ agent_id: String(agents[1]?.id) }, ({ agent_id }) => agent_id === agents[1]?.id);
    await expectTasks({ type: String(api.types[1]) }, ({ agent_id }) => agent_id === agents[0]?.id);
    await expectTasks({ tag: 'completed', status: 'completed' }, ({ status }) => status === 'completed');
    const third = found[2] as Task;
    await expectTasks({ created_after: third.created_at }, ({ created_at }) => created_at > third.created_at);
    await expectTasks(
      { created_before: third.created_at, type: String(api.types[1]) },
      (task) => found.indexOf(task) < 2,
    );
    await api.call('DELETE', `/agents/${third.agent_id}/tasks/${third.id}`);
    await expectTasks({ status: 'failed' }, (task) => task.status === 'failed' && task !== third);
    await api.call('DELETE', `/agents/${agents[0]?.id}`);
    await expectTasks({}, ({ agent_id }) => agent_id === agents[1]?.id);
    await api.call('DELETE', `/agents/${agents[1]?.id}`);
    await expectTasks({}, () => false);
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
    await api.call('DELETE', path);
    expectResponse(await search({ tag: after }), 200, []);
    await api.createTask(agent.id, { tags: [after], scheduled_at: body.scheduled_at });
    await api.call('DELETE', `/agents/${agent.id}`);
    expectResponse(await search({ tag: after }), 200, []);
  });

  test('a task keeps the type that its agent had at its creation', async () => {
    const [, former, present] = api.types as [string, string, string];
    const agent = await api.createAgent({ type: former });
    const own = `own ${crypto.randomUUID()}`;
    const create = () => api.createTask(agent.id, { tags: [own] });
    const retype = (type: string) => api.call('PUT', `/agents/${agent.id}`, { body: { name: 'x', type } });
    const idsOf = async (filter: Record<string, string>) => tasksOf(await search(filter)).map(({ id }) => id);
    const ids = [(await create()).id, (await create()).id];
    await retype(present);
    ids.push((await create()).id);
    await retype(former);
    ids.push((await create()).id);
    const ofFormer = [ids[0], ids[1], ids[3]];
    const scopes: Record<string, string>[] = [{ tag: own }, { agent_id: agent.id }, { agent_id: agent.id, tag: own }];
    for (const scope of scopes) {
      expect(await idsOf({ ...scope, type: former })).toEqual(ofFormer);
      expect(await idsOf({ ...scope, type: present, status: 'pending' })).toEqual([ids[2]]);
      expect(await idsOf({ ...scope, type: String(api.types[0]) })).toEqual([]);
    }
    expect([await idsOf({ id: `${ids[2]}`, type: present }), await idsOf({ id: `${ids[2]}`, type: former })]).toEqual([
      [ids[2]],
      [],
    ]);
    const { task } = await api.lease(agent.id);
    expect(await idsOf({ tag: own, type: former, status: 'running' })).toEqual([task.id]);
    await api.call('DELETE', `/agents/${agent.id}`);
    expect(await idsOf({ tag: own })).toEqual([]);
  });
}
