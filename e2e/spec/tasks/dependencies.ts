import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { type CallOptions, expectStatus } from '../../harness/http-client.ts';
import { expectInvalid, expectResponse } from '../expectations.ts';

interface BatchResult {
  status: number;
  task: Task;
  error?: { error: string };
}
type Leased = Lease & { dependencies?: unknown };

/** docs/contract.md "Dependencies". */
export function specifyDependencies(api: Api): void {
  const post = (tasks: unknown, fields = {}, as?: CallOptions['as'], headers = {}) =>
    api.call('POST', '/task-batches', { body: { tasks, ...fields }, headers, ...(as && { as }) });
  const graph = async (tasks: unknown, fields = {}) =>
    expectStatus<{ results: BatchResult[] }>(await post(tasks, fields), 201).results;
  const retry = (task: Task, body?: unknown) => api.call('POST', `${pathOf(task)}/retries`, { body });
  const untilStatus = async (task: Task, status: string) => {
    await until(async () => (await api.readTask(task)).status === status);
    return api.readTask(task);
  };
  const codeOf = ({ json }: { json: unknown }) =>
    (json as { details: { fields: { path: string; code: string }[] } }).details.fields[0];

  /** A task that comes after two, of which one has completed, as its worker has said `result`. */
  async function createWaiting(fields = {}) {
    const [{ id: agent_id }, { id: other_id }] = [await api.createAgent(), await api.createAgent()];
    const done = await api.createRunning(other_id);
    expectStatus(await api.report(done, { result: { text: 'é"' } }), 200);
    const open = await api.createTask(agent_id);
    const task = await api.createTask(agent_id, { after: [done.task.id, open.id], ...fields });
    return { done: done.task, open, task };
  }

  test('a task starts when all that it comes after have ended, and its lease has their results', async () => {
    const { done, open, task } = await createWaiting();
    expect(task).toMatchObject({ status: 'pending', after: [done.id, open.id], after_failure: 'fail' });
    const waiting = (await api.get(`${pathOf(task)}/waiting`)).json;
    expect(waiting).toEqual({ reason: 'dependencies', since: task.created_at, on: [open.id] });
    expectStatus(await api.call('DELETE', pathOf(done)), 204);
    const held = await api.lease(task.agent_id);
    expect(held.task.id).toBe(open.id);
    expect(await api.requestLease(task.agent_id)).toMatchObject({ status: 204 });
    await api.report(held, { result: [1] });
    await until(async () => (await api.readTask(task)).updated_at !== task.updated_at);
    const { dependencies, task: leased } = (await api.lease(task.agent_id)) as Leased;
    expect(leased.id).toBe(task.id);
    expect(Date.parse(String(leased.expires_at))).toBeGreaterThan(Date.parse(String(task.expires_at)));
    const [first, second] = [
      { task_id: done.id, key: null, status: 'completed' },
      { task_id: open.id, key: null, status: 'completed', result: [1] },
    ];
    expect(dependencies).toEqual([first, second]);
  });

  test('results of more than 1 MiB together are only named', async () => {
    const { id } = await api.createAgent();
    const ended: Task[] = [];
    for (const size of [700, 400, 100]) {
      const held = await api.createRunning(id);
      expectStatus(await api.report(held, { result: 'x'.repeat(size * 1_024) }), 200);
      ended.push(held.task);
    }
    await api.createTask(id, { after: ended.map((task) => task.id) });
    const { dependencies } = (await api.lease(id)) as Leased;
    expect((dependencies as object[]).map((one) => 'result' in one)).toEqual([true, false, true]);
  });

  test('a failed, cancelled or deleted one fails what waits for it, and all behind that; others run', async () => {
    for (const end of ['fail', 'cancel', 'delete']) {
      const { open, task } = await createWaiting();
      const behind = await api.createTask(task.agent_id, { after: [task.id] });
      const runs = await api.createTask((await api.createAgent()).id, { after: [task.id], after_failure: 'run' });
      if (end === 'fail') {
        const error = { code: 'x', message: 'x', retryable: false };
        await api.report(await api.lease(open.agent_id), { status: 'failed', error });
      }
      if (end === 'cancel') await api.cancel(open);
      if (end === 'delete') await api.call('DELETE', pathOf(open));
      expect(await untilStatus(behind, 'failed')).toMatchObject({ attempt: 0, error: { code: 'dependency_failed' } });
      expect((await api.readTask(task)).error).toMatchObject({ code: 'dependency_failed', retryable: false });
      await until(async () => (await api.get(`${pathOf(runs)}/waiting`)).text.includes('dependencies') === false);
      const { dependencies } = (await api.lease(runs.agent_id)) as Leased;
      expect(dependencies).toEqual([{ task_id: task.id, key: null, status: 'failed' }]);
    }
  });

  test('an unknown one is 422, also one that the caller may not see', async () => {
    const { open, task } = await createWaiting();
    const { key } = await api.accounts.createKey({
      scopes: ['tasks:read', 'tasks:write'],
      agent_ids: [(await api.createAgent()).id, task.agent_id],
    });
    const path = `/agents/${task.agent_id}/tasks`;
    const create = (after: unknown, as?: CallOptions['as']) =>
      api.call('POST', path, { body: { message: 'x', after }, ...(as && { as }) });
    expect(codeOf(await create([crypto.randomUUID()]))).toMatchObject({ path: 'after.0', code: 'unknown_dependency' });
    expectInvalid(await create(Array(33).fill('x')), 'after');
    const hidden = await api.createTask((await api.createAgent()).id, { after: [open.id] });
    expect(codeOf(await create([open.id, hidden.id], apiKey(key)))).toMatchObject({ path: 'after.1' });
    expect((await create([open.id], apiKey(key))).status).toBe(201);
    const { nodes } = (await api.call('GET', `${pathOf(open)}/graph`, { as: apiKey(key) })).json as { nodes: Task[] };
    expect(nodes.map(({ agent_id }) => agent_id)).toEqual([task.agent_id, task.agent_id, task.agent_id]);
  });

  test('PUT changes what a pending task comes after, but to no cycle', async () => {
    const { done, open, task } = await createWaiting();
    const put = (one: Task, after: string[] | null) => api.call('PUT', pathOf(one), { body: { message: 'x', after } });
    expectStatus(await api.call('DELETE', pathOf(done)), 204);
    for (const after of [[task.id], [open.id]]) expectInvalid(await put(open, after), 'after');
    expect(expectStatus<Task>(await put(task, [done.id, open.id]), 200).after).toEqual([done.id, open.id]);
    expectStatus(await put(task, null), 200);
    expectStatus(await put(open, [task.id]), 200);
    expect((await api.lease(task.agent_id)).task.id).toBe(task.id);
  });

  test('a batch makes a graph over agents, by keys, and its graph is read from each task', async () => {
    const [{ id: one }, { id: other }] = [await api.createAgent(), await api.createAgent()];
    const results = await graph([
      { agent_id: other, key: 'last', message: 'Last', after: ['@b', '@a'] },
      { agent_id: one, key: 'a', message: 'A' },
      { agent_id: other, key: 'b', message: 'B', after: ['@a'] },
    ]);
    const [last, a, b] = results.map(({ task }) => task) as [Task, Task, Task];
    expect(last.after).toEqual([b.id, a.id]);
    for (const task of [last, a, b]) expectResponse(await api.get(pathOf(task)), 200, task);
    const nodeOf = ({ id, agent_id, message, after }: Task) => {
      return { task_id: id, agent_id, message, status: 'pending', after: after ?? [] };
    };
    for (const task of [last, a, b]) {
      const nodes = [last, a, b].map(nodeOf);
      expectResponse(await api.get(`${pathOf(task)}/graph`), 200, { nodes, truncated: false });
    }
    await api.report(await api.lease(one), { result: 'A' });
    await until(async () => (await api.get(`${pathOf(b)}/waiting`)).text.includes('dependencies') === false);
    const held = (await api.lease(other)) as Leased;
    expect(held).toMatchObject({ task: { id: b.id }, dependencies: [{ task_id: a.id, key: 'a', result: 'A' }] });
    await api.report(held);
    await until(async () => (await api.get(`${pathOf(last)}/waiting`)).text.includes('dependencies') === false);
    expect(await api.lease(other)).toMatchObject({ task: { id: last.id }, dependencies: [{ key: 'b' }, { key: 'a' }] });
  });

  test('the first fault refuses a batch, with its index; with partial only what is at fault, and behind it', async () => {
    const { id: agent_id } = await api.createAgent();
    const cases: [tasks: object[], status: number, path: string][] = [
      [
        [
          { agent_id, message: 'x' },
          { agent_id, message: '' },
        ],
        400,
        'tasks.1.message',
      ],
      [[{ agent_id, message: 'x', after: ['@none'] }], 400, 'tasks.0.after'],
      [
        [
          { agent_id, message: 'x', key: 'a', after: ['@b'] },
          { agent_id, message: 'x', key: 'b', after: ['@a'] },
        ],
        400,
        'tasks.0.after',
      ],
      [
        [
          { agent_id, message: 'x', key: 'a' },
          { agent_id, message: 'x', key: 'a' },
        ],
        400,
        'tasks.1.key',
      ],
      [[{ agent_id, message: 'x', after: [crypto.randomUUID()] }], 422, 'tasks.0.after.0'],
      [[{ agent_id: crypto.randomUUID(), message: 'x' }], 422, 'tasks.0.agent_id'],
    ];
    for (const [tasks, status, path] of cases) {
      const refused = await post(tasks);
      expect([refused.status, codeOf(refused)?.path]).toEqual([status, path]);
    }
    expectResponse(await api.get(`/agents/${agent_id}/tasks`), 200, []);
    const tasks = [
      { agent_id, key: 'a', message: '' },
      { agent_id, key: 'b', message: 'x', after: ['@a'] },
      { agent_id, message: 'x', after: ['@b'] },
      { agent_id, message: 'good' },
    ];
    expect((await graph(tasks, { partial: true })).map(({ status }) => status)).toEqual([400, 400, 422, 201]);
    expect((await graph(tasks.slice(0, 1), { partial: true })).map(({ status }) => status)).toEqual([400]);
  });

  test('a repeated batch with its Idempotency-Key has the same reply, and 500 tasks in a chain are created', async () => {
    const { id: agent_id } = await api.createAgent();
    const tasks = Array.from({ length: 500 }, (_, at) => ({
      ...{ agent_id, message: `${at}`, key: `k${at}` },
      ...(at > 0 && { after: [`@k${at - 1}`] }),
    }));
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await post(tasks, {}, undefined, headers);
    const again = await post(tasks, {}, undefined, headers);
    expect([first.status, again.json, again.headers['idempotency-replayed']]).toEqual([201, first.json, 'true']);
    expect((await api.get(`/agents/${agent_id}/tasks`)).headers['x-total-count']).toBe('500');
    const { task } = (first.json as { results: BatchResult[] }).results[0] as BatchResult;
    const { nodes } = (await api.get(`${pathOf(task)}/graph`)).json as { nodes: unknown[] };
    expect(nodes).toHaveLength(500);
    await api.cancel(task);
    const { task: last } = (first.json as { results: BatchResult[] }).results[499] as BatchResult;
    await untilStatus(last, 'failed');
  });

  test('a retry takes over what has completed, and asks for the rest, or retries that as a graph', async () => {
    const { done, open, task } = await createWaiting();
    const middle = await api.createTask(task.agent_id, { after: [task.id, done.id] });
    await api.cancel(open);
    await untilStatus(middle, 'failed');
    expect(codeOf(await retry(task))).toMatchObject({ path: 'after', code: 'dependency_failed' });
    const other = await api.createTask((await api.createAgent()).id);
    expect(expectStatus<Task>(await retry(task, { after: [other.id] }), 201).after).toEqual([done.id, other.id]);
    expect(expectStatus<Task>(await retry(task, { after: [] }), 201).after).toEqual([done.id]);
    const again = expectStatus<Task>(await retry(middle, { with_dependencies: true }), 201);
    expect(again).toMatchObject({ retry_of: middle.id, after: [done.id, expect.any(String)] });
    const { nodes } = (await api.get(`${pathOf(again)}/graph`)).json as {
      nodes: { task_id: string; after: string[] }[];
    };
    const between = nodes.find((node) => node.task_id === (again.after as string[])[1]);
    const retried = await api.readTask({ agent_id: task.agent_id, id: String(between?.after[1]) });
    expect([between?.after[0], retried.retry_of]).toEqual([done.id, open.id]);
  });
}
