import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type OpenApiDocument, operationsOf } from '../../contract/document.ts';
import { apiKey } from '../../harness/accounts.ts';
import { type Agent, type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { type Credential, expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import { expectDetail, expectError, expectNoBody, expectResponse, pagesOf } from '../expectations.ts';
import { specifyLimitedEvents } from './limited-events.ts';

const TASKS = ['tasks:read', 'tasks:write', 'tasks:answer'];
const SCOPES = ['agents:read', 'agents:write', ...TASKS, 'leases:write', 'events:read'];
const ARRIVED_MS = 700;
/** None expires, which would be an event, while the tests run. */
const LEASE = { worker_id: 'limited', lease_seconds: 900 };

/** docs/contract.md "API keys": a key with `agent_ids` sees only these agents. */
export function specifyLimitedKeys(api: Api): void {
  let mine: Agent[];
  let others: Agent[];
  let as: Credential;
  beforeAll(async () => {
    mine = [];
    others = [];
    // In turns, so that pages of all agents have both.
    for (let round = 0; round < 3; round++) {
      others.push(await api.createAgent({ name: 'Theirs', type: api.types[1] }));
      mine.push(await api.createAgent({ name: 'Mine', type: api.types[1] }));
    }
    as = await limitedTo(mine);
  });

  async function limitedTo(agents: Agent[], fields: Record<string, unknown> = {}): Promise<Credential> {
    const agent_ids = agents.map(({ id }) => id);
    return apiKey((await api.accounts.createKey({ scopes: SCOPES, agent_ids, ...fields })).key);
  }
  const call = (method: string, path: string, options = {}) => api.call(method, path, { as, ...options });
  const idsOf = ({ json }: HttpResponse) => (json as { id: string }[]).map(({ id }) => id);

  async function list(first: string): Promise<{ ids: string[]; totals: Set<string> }> {
    const pages = await pagesOf(api, first, as);
    return {
      ids: pages.flatMap(idsOf),
      totals: new Set(pages.map(({ headers }) => String(headers['x-total-count']))),
    };
  }

  test('the list of agents, its total and its links leave out others', async () => {
    const ids = mine.map(({ id }) => id);
    const type = api.types[1];
    for (const query of ['', `type=${type}&`, `type=${type}&status=idle&`]) {
      for (const limit of [1, 2, 100]) {
        const pages = await list(`/agents?${query}limit=${limit}`);
        expect(pages).toEqual({ ids, totals: new Set(['3']) });
      }
    }
    expectResponse(await call('GET', '/agents?skip=3'), 200, []);
    expectResponse(await call('GET', `/agents?type=${api.types[0]}`), 200, []);
    expect((await call('GET', '/agents?skip=2&limit=1')).headers['x-total-count']).toBe('3');
  });

  test('the search of tasks and its total leave out others', async () => {
    const tag = `tag-${crypto.randomUUID()}`;
    const made: Task[] = [];
    for (const [at, agent] of mine.entries()) {
      await api.createTask(String(others[at]?.id), { tags: [tag] });
      made.push(await api.createTask(agent.id, { tags: [tag] }));
    }
    const ids = made.map(({ id }) => id);
    for (const limit of [1, 2, 100]) {
      expect(await list(`/tasks?tag=${tag}&limit=${limit}`)).toEqual({ ids, totals: new Set(['3']) });
    }
    expect(await list(`/tasks?tag=${tag}&status=pending`)).toMatchObject({ ids });
    expectResponse(await call('GET', `/tasks?agent_id=${others[0]?.id}`), 200, []);
    const all = await list('/tasks?limit=100');
    expect(all.ids).toEqual(expect.arrayContaining(ids));
    expect(all.totals).toEqual(new Set([String(all.ids.length)]));
  });

  test('a new agent is not visible, and the key can create none', async () => {
    for (const body of [{ name: 'x', type: api.types[0] }, {}, 'no JSON']) {
      expectError(await call('POST', '/agents', { body }), 403, 'forbidden');
    }
    const { id } = await api.createAgent();
    expectDetail(await call('GET', `/agents/${id}`), 404, 'Agent not found');
  });

  describe('every operation on', () => {
    const operations = async () => operationsOf((await api.get('/openapi.json')).json as OpenApiDocument);

    test('an agent is 404 for another agent, exactly as for one that does not exist', async () => {
      const other = others[0] as Agent;
      const task = await api.createTask(other.id);
      const missing = crypto.randomUUID();
      const named = (await operations()).filter(({ name }) => name.includes('{agent_id}'));
      expect(named.length).toBeGreaterThan(10);
      for (const { name } of named) {
        const [method = '', path = ''] = name.split(' ');
        const send = (agentId: string) =>
          call(method, path.replace('{agent_id}', agentId).replace('{task_id}', task.id));
        const [refused, unknown] = [await send(other.id), await send(missing)];
        expect([name, refused.status, refused.text]).toEqual([name, 404, '{"detail":"Agent not found"}']);
        expect([refused.status, refused.text]).toEqual([unknown.status, unknown.text]);
        const good = { message: 'x', name: 'x', type: api.types[0], worker_id: 'x', tasks: [{ message: 'x' }] };
        const body = method === 'GET' || method === 'DELETE' ? undefined : good;
        const withBody = await call(method, path.replace('{agent_id}', other.id).replace('{task_id}', task.id), {
          body,
        });
        expectDetail(withBody, 404, 'Agent not found');
      }
      expect(await api.readTask(task)).toEqual(task);
    });

    test('an agent is 404 also for HEAD', async () => {
      const head = async ({ id }: Agent) => (await call('HEAD', `/agents/${id}`)).status;
      expect([await head(others[0] as Agent), await head(mine[0] as Agent)]).toEqual([404, 200]);
    });

    test('a lease is 404 for a lease of another agent, and the lease stays', async () => {
      const held = await api.createRunning((await api.createAgent()).id);
      const named = (await operations()).filter(({ name }) => name.includes('{lease_id}'));
      expect(named.length).toBe(11);
      for (const { name } of named) {
        const [method = '', path = ''] = name.split(' ');
        const hasBody = method === 'PUT' || method === 'POST';
        const body = hasBody ? { token: held.token, status: 'completed' } : undefined;
        const headers = { 'x-lease-token': held.token };
        const refused = await call(method, path.replace('{lease_id}', held.id), { body, headers });
        expectDetail(refused, 404, 'Lease not found');
      }
      const own = String(mine[0]?.id);
      const { agent_id } = held.task;
      for (const forged of [held.id.replace(agent_id, own), `${own}.x.1`, 'x']) {
        const body = { token: held.token };
        expectDetail(await call('PUT', `/leases/${forged}/heartbeat`, { body }), 404, 'Lease not found');
      }
      expect((await api.report(held)).status).toBe(200);
    });
  });

  test('a task neither retries nor continues one of another agent, nor tells whether there is one', async () => {
    const task = await api.createTask(String(others[0]?.id));
    await api.cancel(task);
    for (const field of ['retry_of', 'continue_of']) {
      const create = (id: string) =>
        call('POST', `/agents/${mine[0]?.id}/tasks`, { body: { message: 'x', [field]: id } });
      const [known, unknown] = [await create(task.id), await create(crypto.randomUUID())];
      expectError(known, 422, 'semantic_error');
      expect(known.json).toEqual(unknown.json);
    }
  });

  test('the own agents are read, changed, given tasks and worked for', async () => {
    const agent = await api.createAgent({ type: api.types[2] });
    as = await limitedTo([...mine, agent]);
    const body = { name: 'Renamed', type: api.types[2] };
    expect((await call('PUT', `/agents/${agent.id}`, { body })).status).toBe(200);
    const created = await call('POST', `/agents/${agent.id}/tasks`, { body: { message: 'x' } });
    const task = expectStatus<Task>(created, 201);
    const leased = await call('POST', `/agents/${agent.id}/leases`, { body: LEASE });
    const [lease] = expectStatus<{ leases: Lease[] }>(leased, 201).leases as [Lease];
    const result = { token: lease.token, status: 'completed' };
    expect((await call('PUT', `/leases/${lease.id}/heartbeat`, { body: { token: lease.token } })).status).toBe(200);
    expect((await call('PUT', `/leases/${lease.id}/result`, { body: result })).status).toBe(200);
    expect((await call('GET', pathOf(task))).json).toMatchObject({ status: 'completed' });
    expect((await call('GET', `/agents/${agent.id}/events`)).status).toBe(200);
    expectNoBody(await call('DELETE', `/agents/${agent.id}`), 204);
    expect(idsOf(await call('GET', '/agents')).includes(agent.id)).toBe(false);
  });

  test('leases by type come from the own agents only, even if others have older and more urgent tasks', async () => {
    const types = [String(api.types[1])];
    const [own, other] = [mine[0] as Agent, others[0] as Agent];
    const theirs = await api.createTask(other.id, { priority: 9 });
    await drain(types);
    const ours = await api.createTask(own.id);
    const lease = await leaseByType(types);
    expect(lease?.task.id).toBe(ours.id);
    expect(await leaseByType(types)).toBeUndefined();
    const { status } = await api.readTask(theirs);
    expect(status).toBe('pending');
    const every = await api.call('POST', '/leases', { body: { ...LEASE, types, max_tasks: 10 } });
    expect((every.json as { leases: Lease[] }).leases.map(({ task }) => task.id)).toContain(theirs.id);
  });

  test('the own agents take turns, and those of other types give no tasks', async () => {
    const [a, b, c] = [
      await api.createAgent({ type: api.types[1] }),
      await api.createAgent({ type: api.types[1] }),
      await api.createAgent({ type: api.types[2] }),
    ];
    const key = await limitedTo([b, a, c]);
    const lease = async (type: string) => (await leaseByType([type], 0, key))?.task.agent_id;
    for (const [agent, count] of [
      [a, 3],
      [b, 2],
      [c, 1],
    ] as const) {
      await api.createTasks(agent.id, count);
    }
    const order: string[] = [];
    for (let agent = await lease(a.type); agent; agent = await lease(a.type)) order.push(agent);
    expect(order).toEqual([a, b, a, b, a].map(({ id }) => id));
    await api.call('PUT', `/agents/${c.id}`, { body: { name: 'x', type: a.type } });
    expect(await lease(c.type)).toBeUndefined();
    expect(await lease(a.type)).toBe(c.id);
  });

  test('a worker that waits for a type is woken by the own agents only', async () => {
    const types = [String(api.types[1])];
    const [own, other] = [mine[1] as Agent, others[1] as Agent];
    await drain(types);
    let ended = false;
    const waiting = leaseByType(types, 15).finally(() => {
      ended = true;
    });
    await sleep(ARRIVED_MS);
    const theirs = await api.createTask(other.id);
    await sleep(ARRIVED_MS);
    expect(ended).toBe(false);
    const ours = await api.createTask(own.id);
    expect((await waiting)?.task.id).toBe(ours.id);
    expect((await api.readTask(theirs)).status).toBe('pending');
  });

  test('a waiting limited worker does not keep a task from others', async () => {
    const types = [String(api.types[1])];
    const other = others[2] as Agent;
    await drain(types);
    const body = { ...LEASE, types, wait_seconds: 10 };
    await emptyAll(types);
    const limited = leaseByType(types, 3);
    await sleep(ARRIVED_MS);
    const all = api.call('POST', '/leases', { body });
    await sleep(ARRIVED_MS);
    const theirs = await api.createTask(other.id);
    const { leases } = expectStatus<{ leases: Lease[] }>(await all, 201);
    expect(leases[0]?.task.id).toBe(theirs.id);
    expect(await limited).toBeUndefined();
  });

  async function leaseByType(types: string[], wait_seconds = 0, credential = as): Promise<Lease | undefined> {
    const response = await call('POST', '/leases', { as: credential, body: { ...LEASE, types, wait_seconds } });
    return response.status === 204 ? undefined : expectStatus<{ leases: Lease[] }>(response, 201).leases[0];
  }
  /** Leases all that the key may. */
  async function drain(types: string[]): Promise<void> {
    while (await leaseByType(types));
  }
  async function emptyAll(types: string[]): Promise<void> {
    while ((await api.call('POST', '/leases', { body: { ...LEASE, types } })).status === 201);
  }

  describe('The events of the fleet', () => specifyLimitedEvents(api));

  test('a stream ends when its key is deleted', async () => {
    const made = await api.accounts.createKey({ scopes: SCOPES, agent_ids: mine.map(({ id }) => id) });
    const stream = await api.stream('/events', apiKey(made.key));
    expect(stream.status).toBe(200);
    expectNoBody(await api.call('DELETE', `/api-keys/${made.id}`), 204);
    for (let waited = 0; !stream.ended && waited < 5_000; waited += 50) await sleep(50);
    stream.close();
    expect(stream.ended).toBe(true);
  });

  test('an Idempotency-Key is that of one API key: another one with the same text creates its own record', async () => {
    const [agent] = mine as [Agent];
    const send = (credential: Credential, agentId = agent.id) => {
      const headers = { 'idempotency-key': 'the-same' };
      return api.call('POST', `/agents/${agentId}/tasks`, { as: credential, headers, body: { message: 'x' } });
    };
    const [one, other] = [await limitedTo([agent]), await limitedTo([agent])];
    const first = expectStatus<Task>(await send(one), 201);
    expect(expectStatus<Task>(await send(one), 201).id).toBe(first.id);
    expect(expectStatus<Task>(await send(other), 201).id).not.toBe(first.id);
    const theirs = expectStatus<Task>(await send(apiKey(api.apiKey), others[0]?.id), 201);
    expectDetail(await send(one, others[0]?.id), 404, 'Agent not found');
    expect(theirs.agent_id).toBe(others[0]?.id);
  });

  test('agents in agent_ids that do not exist are no error, and an agent that was deleted is not seen', async () => {
    const gone = await api.createAgent();
    as = await limitedTo([...mine, gone], {
      agent_ids: [...mine.map(({ id }) => id), gone.id, crypto.randomUUID(), 'x'],
    });
    await api.createTask(gone.id);
    const total = async (path: string) => (await call('GET', path)).headers['x-total-count'];
    expect([await total('/agents'), await total(`/tasks?agent_id=${gone.id}`)]).toEqual(['4', '1']);
    await api.call('DELETE', `/agents/${gone.id}`);
    expect(await total(`/tasks?agent_id=${gone.id}`)).toBe('0');
    expectDetail(await call('GET', `/agents/${gone.id}`), 404, 'Agent not found');
    expect(idsOf(await call('GET', '/agents'))).toEqual(mine.map(({ id }) => id));
    expect(await total('/agents')).toBe('3');
  });

  test('a key limited to agents has no scope that reaches beyond them', async () => {
    for (const scope of ['users:admin', 'audit:read', 'registry:admin', 'budgets:admin']) {
      const refused = await api.accounts.postKey({ scopes: ['tasks:read', scope], agent_ids: [mine[0]?.id] });
      expectError(refused, 400, 'validation_error');
    }
  });
}
