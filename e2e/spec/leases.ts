import { afterEach, describe, expect, test } from '@jest/globals';
import type { Agent, Api, Lease, Task } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { expectInvalid, expectJson, expectNoBody, TIMESTAMP } from './expectations.ts';
import { specifyReservations } from './tasks/reservations.ts';

const leasesOf = (response: HttpResponse) => (response.json as { leases: Lease[] }).leases;
const messagesOf = (leases: Lease[]) => leases.map(({ task }) => task.message);

/** docs/contract.md "Leases": taking tasks. */
export function specifyLeases(api: Api): void {
  const requestLease = (path: string, fields: object = {}) =>
    api.call('POST', path, { body: { worker_id: 'e2e', lease_seconds: 900, ...fields } });
  const askAgent: Api['requestLease'] = (id, fields) => api.requestLease(id, fields);

  test('a lease has its running task, a token and its times', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id);
    const response = await askAgent(id, { worker_id: 'worker 7 😀', lease_seconds: 90 });
    expect(response.status).toBe(201);
    expectJson(response);
    const [lease] = leasesOf(response) as [Lease];
    const { started_at } = lease.task as { started_at?: string };
    expect(leasesOf(response)).toEqual([
      {
        id: expect.stringMatching(/^[\w.~-]+$/),
        token: expect.stringMatching(/^[\w-]{20,}$/),
        task: { ...task, status: 'running', attempt: 1, worker_id: 'worker 7 😀', started_at, updated_at: started_at },
        definition: null,
        attempt: 1,
        expires_at: expect.stringMatching(TIMESTAMP),
        heartbeat_interval_seconds: 30,
      },
    ]);
    expect(Date.parse(lease.expires_at) - Date.parse(String(started_at))).toBe(90_000);
    expect(await api.readTask(task)).toEqual(lease.task);
  });

  test('tasks are leased by priority, then first in, first out', async () => {
    const { id } = await api.createAgent();
    for (const priority of [5, 10, 1, 5, 2, 1, 5]) {
      await api.createTask(id, { priority, message: `${priority}` });
    }
    const tasks = (await api.get(`/agents/${id}/tasks`)).json as Task[];
    const [some, rest] = [await askAgent(id, { max_tasks: 4 }), await askAgent(id, { max_tasks: 20 })];
    const leased = [some, rest].flatMap(leasesOf);
    expect(messagesOf(leased)).toEqual(['1', '1', '2', '5', '5', '5', '10']);
    const order = (message: string) => tasks.filter((task) => task.message === message).map((task) => task.id);
    const ids = leased.map(({ task }) => task.id);
    expect(ids).toEqual(['1', '2', '5', '10'].flatMap(order));
    expect(new Set(leased.map(({ token }) => token)).size).toBe(7);
  });

  test('a worker gets at most max_tasks, one by default, or 204 with an empty body', async () => {
    const { id } = await api.createAgent();
    expectNoBody(await askAgent(id), 204);
    await Promise.all([1, 2, 3, 4].map(() => api.createTask(id)));
    await api.createTask(id, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(leasesOf(await askAgent(id))).toHaveLength(1);
    expect(leasesOf(await askAgent(id, { max_tasks: 2 }))).toHaveLength(2);
    expect(leasesOf(await askAgent(id, { max_tasks: 20 }))).toHaveLength(1);
    expectNoBody(await askAgent(id, { max_tasks: 20 }), 204);
  });

  test('each task goes to exactly one of many concurrent workers', async () => {
    const { id } = await api.createAgent();
    await api.createTasks(id, 60);
    const responses = await Promise.all(Array.from({ length: 20 }, () => askAgent(id, { max_tasks: 4 })));
    const taken = responses.filter(({ status }) => status === 201).flatMap(leasesOf);
    const rest = await askAgent(id, { max_tasks: 20 });
    if (rest.status === 201) taken.push(...leasesOf(rest));
    expect(taken).toHaveLength(60);
    expect(new Set(taken.map(({ task }) => task.id)).size).toBe(60);
  });

  test('an agent is active while one of its tasks runs', async () => {
    const agent = await api.createAgent();
    const first = await api.createRunning(agent.id);
    const second = await api.createRunning(agent.id);
    const etag = (await api.get(`/agents/${agent.id}`)).headers.etag;
    expect(await api.readAgent(agent.id)).toEqual({ ...agent, status: 'active' });
    await api.report(first);
    expect((await api.readAgent(agent.id)).status).toBe('active');
    await api.report(second);
    const idle = await api.get(`/agents/${agent.id}`);
    expect(idle.json).toEqual(agent);
    expect(idle.headers.etag).not.toBe(etag);
  });

  describe('an invalid request is 400 with the names of its fields:', () => {
    const numbers = ['max_tasks', 'wait_seconds', 'lease_seconds'];
    const cases: Record<string, [fields: Record<string, unknown>, ...paths: string[]]> = {
      'no worker': [{ worker_id: undefined }, 'worker_id'],
      'an empty worker': [{ worker_id: '' }, 'worker_id'],
      'a worker of 101 characters': [{ worker_id: '😀'.repeat(101) }, 'worker_id'],
      'numbers below their bounds': [{ max_tasks: 0, wait_seconds: -1, lease_seconds: 4 }, ...numbers],
      'numbers above their bounds': [{ max_tasks: 21, wait_seconds: 31, lease_seconds: 901 }, ...numbers],
      'values of another type': [
        { worker_id: 7, max_tasks: '1', wait_seconds: 1.5, lease_seconds: null, colour: 'red' },
        ...['worker_id', ...numbers, 'colour'],
      ],
    };
    test.each(Object.entries(cases))('%s', async (_what, [fields, ...paths]) => {
      const { id } = await api.createAgent();
      const task = await api.createTask(id);
      expectInvalid(await askAgent(id, fields), ...paths);
      expectInvalid(await requestLease('/leases', fields), ...paths);
      expect(await api.readTask(task)).toEqual(task);
    });

    test('types that are empty, unknown, not a list, or of one agent', async () => {
      const { id } = await api.createAgent();
      expectInvalid(await askAgent(id, { types: [api.types[0]] }), 'types');
      expectInvalid(await requestLease('/leases', { types: [] }), 'types');
      expectInvalid(await requestLease('/leases', { types: api.types[0] }), 'types');
      expectInvalid(await requestLease('/leases', { types: [api.types[0], 'robot'] }), 'types.1');
    });
  });

  describe('by type:', () => {
    const made: Agent[] = [];
    afterEach(async () => {
      for (const { id } of made.splice(0)) await api.call('DELETE', `/agents/${id}`);
    });
    async function createAgent(type: number, ...messages: string[]): Promise<Agent> {
      const agent = await api.createAgent({ type: api.types[type] });
      made.push(agent);
      const tasks = messages.map((message) => ({ message, priority: message.startsWith('urgent') ? 1 : 5 }));
      if (tasks.length > 0) await api.call('POST', `/agents/${agent.id}/task-batches`, { body: { tasks } });
      return agent;
    }
    const askTypes = (types: number[], fields = {}) =>
      requestLease('/leases', { types: types.map((type) => api.types[type]), ...fields });

    test('only tasks of agents of these types are taken', async () => {
      await createAgent(1, 'of one');
      await createAgent(2, 'of two');
      expect(messagesOf(leasesOf(await askTypes([2], { max_tasks: 20 })))).toEqual(['of two']);
      expectNoBody(await askTypes([2]), 204);
      expect(messagesOf(leasesOf(await askTypes([2, 1])))).toEqual(['of one']);
      expectNoBody(await askTypes([1, 2]), 204);
    });

    test('agents are served in turn, independent of their queue lengths, and priority orders tasks within an agent', async () => {
      await createAgent(1, ...Array.from({ length: 300 }, (_, at) => `busy ${at}`), 'urgent busy');
      await createAgent(1, 'quiet', 'urgent quiet');
      const first = leasesOf(await askTypes([1], { max_tasks: 4 }));
      expect(messagesOf(first)).toEqual(['urgent busy', 'urgent quiet', 'busy 0', 'quiet']);
      await createAgent(1, 'late');
      const second = messagesOf(leasesOf(await askTypes([1], { max_tasks: 3 })));
      expect(second).toContain('late');
    });

    test('the tasks of an agent that changes its type are leased by the new type', async () => {
      const agent = await createAgent(1, 'moved');
      await api.call('PUT', `/agents/${agent.id}`, { body: { name: 'x', type: api.types[2] } });
      expectNoBody(await askTypes([1]), 204);
      expect(messagesOf(leasesOf(await askTypes([2])))).toEqual(['moved']);
    });

    test('a released task and a retried task can be leased again', async () => {
      await createAgent(2, 'again');
      const [first] = leasesOf(await askTypes([2])) as [Lease];
      expectNoBody(await askTypes([2]), 204);
      await api.release(first);
      const [second] = leasesOf(await askTypes([2])) as [Lease];
      expect([second.task.id, second.attempt]).toEqual([first.task.id, 1]);
      expect(second.id).not.toBe(first.id);
    });
  });

  describe('A continued task:', () => specifyReservations(api));
}
