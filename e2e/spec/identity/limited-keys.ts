import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type OpenApiDocument, operationsOf } from '../../contract/document.ts';
import { apiKey } from '../../harness/accounts.ts';
import { type Agent, type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import type { FleetEvent } from '../../harness/event-stream.ts';
import { type Credential, expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import { lastFleetEvent } from '../events.ts';
import { expectDetail, expectError, expectNoBody, expectResponse, linksOf } from '../expectations.ts';

const SCOPES = ['agents:read', 'agents:write', 'tasks:read', 'tasks:write', 'leases:write', 'events:read'];
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

  /** All pages of a list, by its links. */
  async function pagesOf(first: string, credential = as): Promise<{ ids: string[]; totals: Set<string> }> {
    const ids: string[] = [];
    const totals = new Set<string>();
    for (let path: string | undefined = first; path !== undefined; ) {
      const page: HttpResponse = await api.call('GET', path, { as: credential });
      expect(page.status).toBe(200);
      ids.push(...idsOf(page));
      totals.add(String(page.headers['x-total-count']));
      path = linksOf(page).next;
    }
    return { ids, totals };
  }

  test('the list of agents, its total and its links leave out others', async () => {
    const ids = mine.map(({ id }) => id);
    const type = api.types[1];
    for (const query of ['', `type=${type}&`, `type=${type}&status=idle&`]) {
      for (const limit of [1, 2, 100]) {
        const pages = await pagesOf(`/agents?${query}limit=${limit}`);
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
      expect(await pagesOf(`/tasks?tag=${tag}&limit=${limit}`)).toEqual({ ids, totals: new Set(['3']) });
    }
    expect(await pagesOf(`/tasks?tag=${tag}&status=pending`)).toMatchObject({ ids });
    expectResponse(await call('GET', `/tasks?agent_id=${others[0]?.id}`), 200, []);
    const all = await pagesOf('/tasks?limit=100');
    expect(all.ids).toEqual(expect.arrayContaining(ids));
    expect(all.totals).toEqual(new Set([String(all.ids.length)]));
  });

  test('a new agent is not visible, and the key can create none', async () => {
    expectError(await call('POST', '/agents', { body: { name: 'x', type: api.types[0] } }), 403, 'forbidden');
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

    test('a lease is 404 for a lease of another agent, and the lease stays', async () => {
      const held = await api.createRunning((await api.createAgent()).id);
      const named = (await operations()).filter(({ name }) => name.includes('{lease_id}'));
      expect(named.length).toBe(4);
      for (const { name } of named) {
        const [method = '', path = ''] = name.split(' ');
        const body = method === 'DELETE' ? undefined : { token: held.token, status: 'completed' };
        const headers = { 'x-lease-token': held.token };
        const refused = await call(method, path.replace('{lease_id}', held.id), { body, headers });
        expectDetail(refused, 404, 'Lease not found');
      }
      expect((await api.report(held)).status).toBe(200);
    });
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

  async function leaseByType(types: string[], wait_seconds = 0): Promise<Lease | undefined> {
    const response = await call('POST', '/leases', { body: { ...LEASE, types, wait_seconds } });
    return response.status === 204 ? undefined : expectStatus<{ leases: Lease[] }>(response, 201).leases[0];
  }
  /** Leases all that the key may. */
  async function drain(types: string[]): Promise<void> {
    while (await leaseByType(types));
  }
  async function emptyAll(types: string[]): Promise<void> {
    while ((await api.call('POST', '/leases', { body: { ...LEASE, types } })).status === 201);
  }

  test('the events of the fleet have those of the own agents only, and Link continues', async () => {
    const after = await lastFleetEvent(api);
    for (const [at, agent] of mine.entries()) {
      await api.createTask(String(others[at]?.id));
      await api.createTask(agent.id);
    }
    const list = await call('GET', `/events?after=${after}&limit=1000`);
    const events = list.json as FleetEvent[];
    const ids = new Set(mine.map(({ id }) => id));
    expect(events.filter(({ type }) => type === 'task.created')).toHaveLength(3);
    expect(events.filter(({ agent_id }) => !ids.has(String(agent_id)))).toEqual([]);
    const seen: FleetEvent[] = [];
    for (let path: string | undefined = `/events?after=${after}&limit=1`; path !== undefined; ) {
      const page: HttpResponse = await call('GET', path);
      seen.push(...(page.json as FleetEvent[]));
      path = linksOf(page).next;
    }
    expect(seen).toEqual(events);
  });

  test('a stream of the fleet has events of the own agents only, from now on and resumed', async () => {
    const after = await lastFleetEvent(api);
    const open = (headers = {}) => api.stream('/events', { ...as, ...headers });
    const streams = await Promise.all([open(), open({ 'last-event-id': after })]);
    try {
      for (const [at, agent] of mine.entries()) {
        await api.createTask(String(others[at]?.id));
        await api.createTask(agent.id);
      }
      const expected = (await call('GET', `/events?after=${after}&limit=1000`)).json as FleetEvent[];
      for (const stream of streams) {
        const events = await stream.take(expected.length);
        expect(events.map(({ data }) => data)).toEqual(expected);
      }
    } finally {
      for (const stream of streams) stream.close();
    }
  });

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
    await api.call('DELETE', `/agents/${gone.id}`);
    expect(idsOf(await call('GET', '/agents'))).toEqual(mine.map(({ id }) => id));
    expect((await call('GET', '/agents')).headers['x-total-count']).toBe('3');
  });

  test('a key limited to agents has no scope that reaches beyond them', async () => {
    for (const scope of ['users:admin', 'audit:read', 'registry:admin']) {
      const refused = await api.accounts.postKey({ scopes: ['tasks:read', scope], agent_ids: [mine[0]?.id] });
      expectError(refused, 400, 'validation_error');
    }
  });
}
