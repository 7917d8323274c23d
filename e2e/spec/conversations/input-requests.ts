import { describe, expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { type Caller, expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import { expectError, expectInvalid } from '../expectations.ts';

const ACCEPTS = ['messages', 'steer', 'interrupt', 'input'];
const APPROVAL = { kind: 'approval', title: 'Run a command', tool: { name: 'Bash', input: { b: 1.0, a: ['x'] } } };
const QUESTION = {
  kind: 'question',
  title: 'Which one?',
  options: [
    { id: 'a', label: 'A' },
    { id: 'b', label: 'B' },
  ],
};

interface Request {
  id: string;
  state: string;
  answer: Record<string, unknown> | null;
  [field: string]: unknown;
}

/** What workers and people send. */
export function conversationOf(api: Api) {
  const token = ({ token }: Lease) => ({ 'x-lease-token': token });
  return {
    start: async (fields: Record<string, unknown> = {}, lease: Record<string, unknown> = {}): Promise<Lease> =>
      api.createRunning((await api.createAgent()).id, fields, { accepts: ACCEPTS, ...lease }),
    tryAsking: (lease: Lease, fields: Record<string, unknown> = {}): Promise<HttpResponse> =>
      api.call('POST', `/leases/${lease.id}/input-requests`, {
        body: { token: lease.token, key: crypto.randomUUID(), ...APPROVAL, ...fields },
      }),
    async ask(lease: Lease, fields: Record<string, unknown> = {}): Promise<Request> {
      return expectStatus(await this.tryAsking(lease, fields), 201);
    },
    answer: ({ task }: Pick<Lease, 'task'>, { id }: Request, body: unknown, as?: Caller): Promise<HttpResponse> =>
      api.call('PUT', `${pathOf(task)}/input-requests/${id}/answer`, { body, ...(as && { as }) }),
    read: async ({ task }: Pick<Lease, 'task'>, { id }: Request): Promise<Request> =>
      expectStatus(await api.get(`${pathOf(task)}/input-requests/${id}`), 200),
    withdraw: (lease: Lease, { id }: Request) =>
      api.call('DELETE', `/leases/${lease.id}/input-requests/${id}`, { headers: token(lease) }),
    async inbox(lease: Lease, query = ''): Promise<Record<string, unknown>[]> {
      const response = await api.call('GET', `/leases/${lease.id}/inbox${query}`, { headers: token(lease) });
      return expectStatus<{ items: Record<string, unknown>[] }>(response, 200).items;
    },
    suspend: (lease: Lease, fields: Record<string, unknown> = {}) =>
      api.call('PUT', `/leases/${lease.id}/suspension`, { body: { token: lease.token, ...fields } }),
    say: (task: Task, body: unknown) => api.call('POST', `${pathOf(task)}/messages`, { body }),
    entries: async (task: Task, query = ''): Promise<{ type: string; data: unknown; text: string }[]> =>
      expectStatus(await api.get(`${pathOf(task)}/log-entries${query}`), 200),
    eventsOf: async (task: Task): Promise<{ type: string; status?: string }[]> =>
      expectStatus(await api.get(`${pathOf(task)}/events`), 200),
  };
}

/** docs/contract.md "Input requests". */
export function specifyInputRequests(api: Api): void {
  const talk = conversationOf(api);

  test('a task that asks is input_required until it is answered, and its agent waits', async () => {
    const lease = await talk.start();
    const request = await talk.ask(lease, { key: 'k' });
    expect(request).toMatchObject({
      ...{ agent_id: lease.task.agent_id, task_id: lease.task.id, attempt: 1, key: 'k', state: 'open', answer: null },
      tool: { name: 'Bash', digest: expect.stringMatching(/^sha256:[\da-f]{64}$/) },
      options: [
        { id: 'allow', role: 'allow' },
        { id: 'deny', role: 'deny' },
      ],
    });
    expect(await api.readTask(lease.task)).toMatchObject({ status: 'input_required', worker_id: 'e2e' });
    expect(await api.readAgent(lease.task.agent_id)).toMatchObject({ status: 'waiting' });
    const answered = await talk.answer(lease, request, { option_ids: ['allow'] });
    expectStatus(answered, 200);
    const { tool, answer } = answered.json as { tool: { digest: string }; answer: Record<string, unknown> };
    expect(answer).toMatchObject({ option_ids: ['allow'], text: null, values: null, tool_digest: tool.digest });
    expect(await api.readTask(lease.task)).toMatchObject({ status: 'running' });
    expect(await api.readAgent(lease.task.agent_id)).toMatchObject({ status: 'active' });
    expect(await talk.inbox(lease)).toEqual([{ n: 1, type: 'answer', request_id: request.id, answer }]);
    expect(await talk.inbox(lease, '?after=1')).toEqual([]);
    expect((await api.heartbeat(lease)).json).toMatchObject({ inbox: 1 });
    expectInvalid(
      await api.call('GET', `/leases/${lease.id}/inbox?after=2`, { headers: { 'x-lease-token': lease.token } }),
      'after',
    );
    const types = (await talk.eventsOf(lease.task)).map(({ type }) => type);
    expect(types).toEqual(['task.created', 'task.leased', 'task.input_required', 'task.input_answered']);
    expect((await talk.entries(lease.task)).map(({ data }) => data)).toEqual([
      { request_id: request.id, state: 'open' },
      { request_id: request.id, state: 'answered' },
    ]);
    expectStatus(await api.report(lease), 200);
  });

  test('the same key is the same request, and another content under it is refused', async () => {
    const lease = await talk.start();
    const replies = await Promise.all([1, 2].map(() => talk.tryAsking(lease, { key: 'k' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(replies.map(({ json }) => (json as Request).id)).size).toBe(1);
    expectError(await talk.tryAsking(lease, { key: 'k', title: 'Another' }), 422, 'semantic_error');
  });

  test('of two answers one counts, and the other one reads who has given it', async () => {
    const lease = await talk.start();
    const request = await talk.ask(lease);
    const [allow, deny] = await Promise.all([
      talk.answer(lease, request, { option_ids: ['allow'] }),
      talk.answer(lease, request, { option_ids: ['deny'], text: 'No' }),
    ]);
    expect([allow.status, deny.status].sort()).toEqual([200, 409]);
    const lost = allow.status === 409 ? allow : deny;
    expectError(lost, 409, 'already_answered');
    expect(lost.json).toMatchObject({ details: { by: { name: expect.any(String) }, at: expect.any(String) } });
    const { answer } = await talk.read(lease, request);
    const same = { option_ids: answer?.option_ids, ...(answer?.text != null && { text: answer.text }) };
    expectStatus(await talk.answer(lease, request, same), 200);
    expect(await talk.inbox(lease)).toHaveLength(1);
    await api.report(lease);
    expectStatus(await talk.answer(lease, request, same), 200);
  });

  describe('an answer must be what the request wants:', () => {
    const FORM = {
      kind: 'form',
      schema: {
        type: 'object',
        properties: {
          size: { type: 'string', enum: ['s', 'm'] },
          count: { type: 'integer', minimum: 1 },
          tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
          sure: { type: 'boolean' },
        },
        required: ['size'],
      },
    };
    test.each([
      [QUESTION, { option_ids: ['c'] }, 'option_ids'],
      [QUESTION, { option_ids: ['a', 'b'] }, 'option_ids'],
      [QUESTION, {}, ''],
      [{ ...QUESTION, allow_text: false }, { text: 'x' }, 'text'],
      [{}, { text: 'just text' }, 'option_ids'],
      [{}, { option_ids: ['allow'], tool_input: {} }, 'tool_input'],
      [{ input_editable: true }, { option_ids: ['deny'], tool_input: {} }, 'tool_input'],
      [{}, { option_ids: ['allow'], values: {} }, 'values'],
      [FORM, { values: {} }, 'values.size'],
      [FORM, { values: { size: 'l' } }, 'values.size'],
      [FORM, { values: { size: 's', count: 0 } }, 'values.count'],
      [FORM, { values: { size: 's', tags: ['z'] } }, 'values.tags'],
      [FORM, { values: { size: 's', other: 1 } }, 'values.other'],
      [FORM, { text: 'x' }, 'values'],
    ])('%j refuses %j', async (asked, answer, path) => {
      const lease = await talk.start();
      const request = await talk.ask(lease, { ...asked, tool: 'kind' in asked ? null : APPROVAL.tool });
      expectInvalid(await talk.answer(lease, request, answer), path);
    });

    test('several options, values of a form, and a changed input with a digest of its own are taken', async () => {
      const lease = await talk.start();
      const several = await talk.ask(lease, { ...QUESTION, tool: null, multiple: true });
      expectStatus(await talk.answer(lease, several, { option_ids: ['a', 'b'], text: 'Both' }), 200);
      const form = await talk.ask(lease, { ...FORM, tool: null });
      const values = { size: 'm', count: 2, tags: ['x', 'y'], sure: false };
      expectStatus(await talk.answer(lease, form, { values }), 200);
      const editable = await talk.ask(lease, { input_editable: true });
      const changed = await talk.answer(lease, editable, { option_ids: ['allow'], tool_input: { command: 'ls' } });
      const { answer, tool } = changed.json as { answer: Record<string, unknown>; tool: { digest: string } };
      expect(answer).toMatchObject({ tool_input: { command: 'ls' }, tool_digest: expect.stringMatching(/^sha256:/) });
      expect(answer.tool_digest).not.toBe(tool.digest);
      expect((await talk.inbox(lease)).map(({ n }) => n)).toEqual([1, 2, 3]);
    });

    test('properties of a form may have any name, however their values are written', async () => {
      const lease = await talk.start();
      const fields = `"token":"${lease.token}","key":"k","kind":"form","title":"T"`;
      const properties = '{"input":{"type":"string","title":"Gr\\u00f6\\u00dfe"},"result":{"type":"number"}}';
      const asked = await api.call('POST', `/leases/${lease.id}/input-requests`, {
        body: `{${fields},"schema":{"type":"object","properties":${properties}}}`,
      });
      const request = expectStatus<Request>(asked, 201);
      const answered = await talk.answer(lease, request, '{"values":{"input":"\\u00e9","result":1.0}}');
      expect(answered.json).toMatchObject({ answer: { values: { input: 'é', result: 1 } } });
    });

    test('null as a changed input is another answer than none', async () => {
      const lease = await talk.start();
      const request = await talk.ask(lease, { input_editable: true });
      expectStatus(await talk.answer(lease, request, { option_ids: ['allow'], tool_input: null }), 200);
      expectError(await talk.answer(lease, request, { option_ids: ['allow'] }), 409, 'already_answered');
    });
  });

  test('free JSON of tools, answers and suspensions comes back as it was sent', async () => {
    const lease = await talk.start();
    const free = '{"n":12345678901234567890,"f":1.0,"t":"\\u00e9"}';
    const fields = `"token":"${lease.token}","key":"k","kind":"approval","title":"T","input_editable":true`;
    const asked = await api.call('POST', `/leases/${lease.id}/input-requests`, {
      body: `{${fields},"tool":{"name":"x","input":${free}}}`,
    });
    expect(asked.text).toContain(`"input":${free}`);
    const open = await talk.ask(lease);
    await talk.answer(lease, asked.json as Request, `{"option_ids":["allow"],"tool_input":${free}}`);
    const headers = { 'x-lease-token': lease.token };
    expect((await api.call('GET', `/leases/${lease.id}/inbox`, { headers })).text).toContain(`"tool_input":${free}`);
    await api.call('PUT', `/leases/${lease.id}/suspension`, { body: `{"token":"${lease.token}","state":${free}}` });
    await talk.answer(lease, open, { option_ids: ['deny'] });
    const { text } = await api.requestLease(lease.task.agent_id, { accepts: ACCEPTS });
    expect(text).toContain(`"state":${free}`);
    expect(text).toContain(`"tool_input":${free}`);
  });

  test.each([
    [{ kind: 'form' }, 'schema'],
    [{ kind: 'form', schema: { type: 'object', properties: { a: { type: 'object' } } } }, 'schema.properties.a'],
    [{ kind: 'question', allow_text: false, tool: null }, 'options'],
    [
      {
        options: [
          { id: 'a', label: 'A' },
          { id: 'a', label: 'B' },
        ],
      },
      'options',
    ],
    [{ options: [{ id: 'ä', label: 'A' }] }, 'options.0.id'],
    [{ input_editable: true, tool: null }, 'input_editable'],
    [{ default: { option_ids: ['c'] } }, 'default.option_ids'],
    [{ expires_in_seconds: 59 }, 'expires_in_seconds'],
    [{ title: '' }, 'title'],
    [{ key: 'interruption:1' }, 'key'],
    [{ multiple: true }, 'multiple'],
    [{ tool: { name: 'x', input: 'x'.repeat(65_537) } }, 'tool.input'],
  ])('a worker cannot ask %j', async (fields, path) => {
    expectInvalid(await talk.tryAsking(await talk.start(), fields), path);
  });

  test('a worker that did not say that it accepts input cannot ask', async () => {
    const lease = await talk.start({}, { accepts: ['messages'] });
    expectError(await talk.tryAsking(lease), 409, 'input_not_accepted');
  });

  test('a task has at most 16 open requests, and 200 in its life', async () => {
    const lease = await talk.start();
    for (let asked = 0; asked < 200; ) {
      const open: Request[] = [];
      for (; open.length < 16 && asked < 200; asked++) open.push(await talk.ask(lease));
      if (asked < 200) expectError(await talk.tryAsking(lease), 409, 'too_many_input_requests');
      await Promise.all(open.map((request) => talk.withdraw(lease, request)));
    }
    expectError(await talk.tryAsking(lease), 409, 'too_many_input_requests');
    expect(await api.readTask(lease.task)).toMatchObject({ status: 'running' });
    expectError(
      await talk.answer(lease, (await listed(lease))[0] as Request, { option_ids: ['deny'] }),
      409,
      'input_request_closed',
    );
  });

  const listed = async ({ task }: Lease): Promise<Request[]> =>
    expectStatus(await api.get(`${pathOf(task)}/input-requests?limit=1000`), 200);

  test('open requests of all agents are listed oldest first, with totals and filters', async () => {
    const leases = await Promise.all([1, 2].map(() => talk.start()));
    const [one, other] = leases as [Lease, Lease];
    const requests = [await talk.ask(one), await talk.ask(other, { ...QUESTION, tool: null }), await talk.ask(one)];
    const ids = requests.map(({ id }) => id);
    const list = async (query: string) => {
      const response = await api.get(`/input-requests?${query}`);
      return {
        total: response.headers['x-total-count'],
        ids: expectStatus<Request[]>(response, 200).map(({ id }) => id),
      };
    };
    const all = await list('limit=1000');
    expect(all.ids.filter((id) => ids.includes(id))).toEqual(ids);
    const { agent_id, id: task_id } = one.task;
    expect(await list(`agent_id=${agent_id}`)).toEqual({ total: '2', ids: [ids[0], ids[2]] });
    expect(await list(`agent_id=${agent_id}&order=desc&limit=1`)).toEqual({ total: '2', ids: [ids[2]] });
    expect(await list(`task_id=${task_id}&skip=1`)).toEqual({ total: '2', ids: [ids[2]] });
    for (const filter of [`agent_id=${agent_id}`, `task_id=${task_id}`]) {
      expect(await list(`${filter}&after=${ids[0]}`)).toEqual({ total: '2', ids: [ids[2]] });
      expect(await list(`${filter}&after=${ids[2]}&order=desc`)).toEqual({ total: '2', ids: [ids[0]] });
    }
    expectInvalid(await api.get(`/input-requests?agent_id=${agent_id}&after=${ids[0]}&skip=1001`), 'skip');
    expect(await list(`agent_id=${agent_id}&kind=question`)).toEqual({ total: '0', ids: [] });
    expect(await list(`agent_id=${agent_id}&type=none`)).toEqual({ total: '0', ids: [] });
    const [type, next] = api.types;
    await api.call('PUT', `/agents/${agent_id}`, { body: { name: 'Another type', type: next } });
    expect(await list(`agent_id=${agent_id}&type=${type}`)).toEqual({ total: '2', ids: [ids[0], ids[2]] });
    expect(await list(`agent_id=${agent_id}&type=${next}`)).toEqual({ total: '0', ids: [] });
    await talk.answer(one, requests[0] as Request, { option_ids: ['deny'] });
    expect(await list(`agent_id=${agent_id}`)).toEqual({ total: '1', ids: [ids[2]] });
    expect(await list(`agent_id=${agent_id}&state=answered`)).toEqual({ total: '1', ids: [ids[0]] });
    await api.call('DELETE', pathOf(one.task));
    for (const state of ['open', 'answered']) {
      expect(await list(`agent_id=${agent_id}&state=${state}`)).toEqual({ total: '0', ids: [] });
    }
  });

  test('a result ends the task and withdraws what is open', async () => {
    const lease = await talk.start();
    const request = await talk.ask(lease);
    expectStatus(await api.report(lease), 200);
    expect(await talk.read(lease, request)).toMatchObject({ state: 'withdrawn', answer: null });
    const types = (await talk.eventsOf(lease.task)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['task.input_withdrawn', 'task.completed']);
    expectError(await talk.answer(lease, request, { option_ids: ['deny'] }), 409, 'input_request_closed');
  });

  test('a cancellation waits for the worker that holds the task, and reaches its inbox', async () => {
    const lease = await talk.start();
    await talk.ask(lease);
    expect((await api.cancel(lease.task, { reason: 'Enough' })).status).toBe(202);
    expect(await talk.inbox(lease)).toEqual([{ n: 1, type: 'cancel', reason: 'Enough' }]);
    await api.report(lease, { status: 'cancelled' });
    expect(await api.readTask(lease.task)).toMatchObject({ status: 'cancelled' });
  });

  test('a wait until input ends when the task asks', async () => {
    const lease = await talk.start();
    const waiting = api.get(`${pathOf(lease.task)}?wait=30&until=input`);
    await talk.ask(lease);
    expect((await waiting).json).toMatchObject({ status: 'input_required' });
  });

  test('a waiting inbox gets an answer at once, and ends with its lease', async () => {
    const lease = await talk.start();
    const request = await talk.ask(lease);
    const waiting = talk.inbox(lease, '?wait=30');
    await talk.answer(lease, request, { option_ids: ['deny'] });
    expect(await waiting).toMatchObject([{ type: 'answer', request_id: request.id }]);
    const late = api.call('GET', `/leases/${lease.id}/inbox?after=1&wait=30`, {
      headers: { 'x-lease-token': lease.token },
    });
    await api.release(lease);
    expectError(await late, 409, 'lease_lost');
  }, 20_000);

  describe('suspension:', () => {
    test('needs something open', async () => {
      expectError(await talk.suspend(await talk.start()), 409, 'nothing_to_wait_for');
    });

    test('the task waits without a worker, and the next one goes on with session, state and answers', async () => {
      const lease = await talk.start({ max_attempts: 1 });
      const { task } = lease;
      const request = await talk.ask(lease, { ...QUESTION, tool: null });
      const data = Buffer.from('a session').toString('base64');
      const session = { runtime: 'claude-code', id: 's1', data };
      expectStatus(await talk.suspend(lease, { session, state: { at: 1 } }), 200);
      expectStatus(await talk.suspend(lease, { state: { at: 1 }, session }), 200);
      expectError(await talk.suspend(lease, { session }), 409, 'lease_lost');
      expect(await api.readTask(task)).toMatchObject({ status: 'input_required', worker_id: null, attempt: 0 });
      expect(await api.readAttempts(task)).toMatchObject([{ number: 1, outcome: 'suspended' }]);
      expectError(await api.heartbeat(lease), 409, 'lease_lost');
      expect((await api.cancel({ ...task, id: crypto.randomUUID() })).status).toBe(404);
      await talk.answer(lease, request, { option_ids: ['b'] });
      expect(await api.readTask(task)).toMatchObject({ status: 'pending' });
      const { json: waiting } = await api.get(`${pathOf(task)}/waiting`);
      expect(waiting).toMatchObject({ reason: 'reserved', worker_id: 'e2e' });
      expect((await api.requestLease(task.agent_id, { accepts: ['messages'] })).status).toBe(204);
      expect((await api.requestLease(task.agent_id, { accepts: ACCEPTS, worker_id: 'other' })).status).toBe(204);
      const next = (await api.lease(task.agent_id, { accepts: ['input'] })) as Lease & { resume: unknown };
      expect(next.attempt).toBe(1);
      expect(next.resume).toMatchObject({
        session,
        state: { at: 1 },
        answers: [{ id: request.id, state: 'answered', answer: { option_ids: ['b'] } }],
      });
      expect(await talk.inbox(next)).toEqual([]);
      expectStatus(await api.report(next), 200);
    });

    test('a released lease is one without a session, and the answer is for the next attempt', async () => {
      const lease = await talk.start();
      const request = await talk.ask(lease);
      await api.release(lease);
      expect(await api.readTask(lease.task)).toMatchObject({ status: 'input_required', worker_id: null });
      await talk.answer(lease, request, { option_ids: ['allow'] });
      const next = (await api.lease(lease.task.agent_id, { accepts: ['input'] })) as Lease & { resume: unknown };
      expect(next.resume).toMatchObject({ session: null, state: null, answers: [{ id: request.id }] });
      // It has not begun: the approval is for the next one. After a heartbeat it is not used again.
      await api.release(next);
      const again = (await api.lease(lease.task.agent_id, { accepts: ['input'] })) as Lease & { resume: unknown };
      expect(again.resume).toMatchObject({ answers: [{ id: request.id }] });
      await api.heartbeat(again);
      await api.release(again);
      const last = (await api.lease(lease.task.agent_id, { accepts: ['input'] })) as Lease & { resume: unknown };
      expect(last.resume).toMatchObject({ answers: [] });
    });

    test('a suspended task is cancelled at once', async () => {
      const lease = await talk.start();
      const request = await talk.ask(lease);
      await api.release(lease);
      expect((await api.cancel(lease.task)).status).toBe(200);
      expect(await api.readTask(lease.task)).toMatchObject({ status: 'cancelled' });
      expect(await talk.read(lease, request)).toMatchObject({ state: 'withdrawn' });
      expect(await api.readAgent(lease.task.agent_id)).toMatchObject({ status: 'idle' });
    });
  });
}
