import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Agent, type Api, type Lease, pathOf } from '../../harness/api.ts';
import type { FleetEvent } from '../../harness/event-stream.ts';
import { expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import {
  expectDetail,
  expectInvalid,
  expectNoBody,
  expectResponse,
  listAll,
  pagesOf,
  TIMESTAMP,
} from '../expectations.ts';

/** Until a request waits at a service. */
const ARRIVED_MS = 700;

/** docs/contract.md "Agents": pauses. */
export function specifyPauses(api: Api): void {
  const pathOfPause = (agentId: string) => `/agents/${agentId}/pause`;
  const pause = (agentId: string, body?: unknown) => api.call('PUT', pathOfPause(agentId), { body });
  const resume = (agentId: string) => api.call('DELETE', pathOfPause(agentId));
  const idsOf = ({ json }: HttpResponse) => (json as { id: string }[]).map(({ id }) => id);
  async function createPaused(fields: Partial<Agent> = {}): Promise<Agent> {
    const agent = await api.createAgent(fields);
    expectStatus(await pause(agent.id, { reason: 'Maintenance' }), 200);
    return agent;
  }
  /** Leases all tasks of a type, and returns the request. */
  async function drain(): Promise<{ worker_id: string; types: unknown[] }> {
    const body = { worker_id: 'e2e', types: [api.types[2]] };
    while (
      (await api.call('POST', '/leases', { body: { ...body, max_tasks: 20, lease_seconds: 900 } })).status === 201
    );
    return body;
  }
  async function eventsOf({ id }: Agent): Promise<FleetEvent[]> {
    return (await api.get(`/agents/${id}/events`)).json as FleetEvent[];
  }

  describe('PUT', () => {
    test('is 200 with the time and the reason; again it keeps the time and changes the reason', async () => {
      const { id } = await api.createAgent();
      const first = await pause(id, { reason: 'Maintenance' });
      const { paused_at } = first.json as { paused_at: string };
      expect(paused_at).toMatch(TIMESTAMP);
      expect(Math.abs(Date.parse(paused_at) - Date.now())).toBeLessThan(60_000);
      expectResponse(first, 200, { paused_at, reason: 'Maintenance' });
      expectResponse(await api.get(pathOfPause(id)), 200, first.json);
      expectResponse(await pause(id, { reason: 'Longer maintenance' }), 200, {
        paused_at,
        reason: 'Longer maintenance',
      });
      expectResponse(await pause(id), 200, { paused_at, reason: null });
      expectResponse(await api.get(pathOfPause(id)), 200, { paused_at, reason: null });
    });

    test.each([
      ['no body', undefined, null],
      ['an empty object', {}, null],
      ['a reason that is null', { reason: null }, null],
      ['an empty reason', { reason: '' }, ''],
      ['500 emoji', { reason: '😀'.repeat(500) }, '😀'.repeat(500)],
      ['hostile text', { reason: '"\u0000\u2028\\\ud800</script>{"' }, '"\u0000\u2028\\\ufffd</script>{"'],
    ])('takes %s', async (_what, body, reason) => {
      const { id } = await api.createAgent();
      expectResponse(await pause(id, body), 200, { paused_at: expect.stringMatching(TIMESTAMP), reason });
      expect((await api.get(pathOfPause(id))).json).toMatchObject({ reason });
    });

    test.each([
      [['reason'], { reason: 'x'.repeat(501) }],
      [['reason'], { reason: ['x'] }],
      [['reason', 'paused_at'], { reason: 5, paused_at: '2026-01-01T00:00:00Z' }],
      [[''], []],
      [[''], 'x'],
    ])('of a bad body is 400 and names %j; nothing is paused', async (paths, body) => {
      const { id } = await api.createAgent();
      expectInvalid(await api.call('PUT', pathOfPause(id), { body: JSON.stringify(body) }), ...paths);
      expectDetail(await api.get(pathOfPause(id)), 404, 'Agent is not paused');
    });
  });

  test('GET of an agent that is not paused is 404, and DELETE is 204 whether it was paused or not', async () => {
    const { id } = await createPaused();
    for (let times = 0; times < 2; times++) {
      expectNoBody(await resume(id), 204);
      expectDetail(await api.get(pathOfPause(id)), 404, 'Agent is not paused');
    }
  });

  test('GET with optional=true is null for an agent that is not paused', async () => {
    const agent = await api.createAgent();
    const read = (query: string, id = agent.id) => api.get(`${pathOfPause(id)}?${query}`);
    const { status, text, headers } = await read('optional=true');
    expect([status, text]).toEqual([200, 'null']);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expectDetail(await read('optional=false'), 404, 'Agent is not paused');
    expectDetail(await read('optional=true', 'missing'), 404, 'Agent not found');
    const paused = await pause(agent.id, { reason: 'Maintenance' });
    for (const query of ['optional=true', 'optional=false']) expectResponse(await read(query), 200, paused.json);
    for (const value of ['', '1', 'TRUE', 'null', 'true&optional=true']) {
      expectInvalid(await read(`optional=${value}`), 'optional');
    }
    await resume(agent.id);
    expect((await read('optional=true')).text).toBe('null');
  });

  test('a deleted agent has no pause', async () => {
    const { id } = await createPaused();
    expectNoBody(await api.call('DELETE', `/agents/${id}`), 204);
    expectDetail(await api.get(pathOfPause(id)), 404, 'Agent not found');
    expectDetail(await resume(id), 404, 'Agent not found');
    expect(idsOf(await api.get('/agents?paused=true&order=desc&limit=1000'))).not.toContain(id);
  });

  test('the agent keeps its five fields and its ETag, and can be replaced', async () => {
    const agent = await api.createAgent();
    const before = await api.get(`/agents/${agent.id}`);
    await pause(agent.id);
    const after = await api.get(`/agents/${agent.id}`);
    expectResponse(after, 200, agent);
    expect(after.headers.etag).toBe(before.headers.etag);
    const headers = { 'if-match': String(before.headers.etag) };
    const body = { name: 'Renamed', type: api.types[1] };
    expect((await api.call('PUT', `/agents/${agent.id}`, { body, headers })).status).toBe(200);
    expect((await api.get(pathOfPause(agent.id))).status).toBe(200);
  });

  describe('of a paused agent', () => {
    test('nothing is leased, neither by agent nor by type, until it is resumed', async () => {
      const byType = await drain();
      const agent = await createPaused({ type: api.types[2] });
      const task = await api.createTask(agent.id);
      expectNoBody(await api.requestLease(agent.id), 204);
      expectNoBody(await api.call('POST', '/leases', { body: byType }), 204);
      expect(await api.readTask(task)).toEqual(task);
      expectNoBody(await resume(agent.id), 204);
      const leased = await api.call('POST', '/leases', { body: byType });
      expect(expectStatus<{ leases: Lease[] }>(leased, 201).leases.map((lease) => lease.task.id)).toEqual([task.id]);
    });

    test('what runs goes on: its heartbeats, its retry and its result', async () => {
      const agent = await api.createAgent();
      const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
      const held = await api.createRunning(agent.id, { retry_policy });
      await pause(agent.id);
      expect((await api.heartbeat(held, { progress: { percent: 50 } })).status).toBe(200);
      expect((await api.readAgent(agent.id)).status).toBe('active');
      expect((await api.report(held, { status: 'failed' })).json).toMatchObject({ status: 'pending' });
      expectNoBody(await api.requestLease(agent.id, { wait_seconds: 1 }), 204);
      await resume(agent.id);
      const again = await api.lease(agent.id);
      await pause(agent.id);
      expect((await api.report(again)).json).toMatchObject({ status: 'completed', attempt: 2 });
    });

    test('tasks can be created, replaced, cancelled and deleted, and are leased in their order afterwards', async () => {
      const agent = await createPaused();
      const [late, gone, cancelled, first] = [
        await api.createTask(agent.id),
        await api.createTask(agent.id),
        await api.createTask(agent.id),
        await api.createTask(agent.id),
      ];
      expectNoBody(await api.call('DELETE', pathOf(gone)), 204);
      expect((await api.cancel(cancelled)).status).toBe(200);
      expect((await api.call('PUT', pathOf(first), { body: { message: 'x', priority: 1 } })).status).toBe(200);
      await resume(agent.id);
      expect([(await api.lease(agent.id)).task.id, (await api.lease(agent.id)).task.id]).toEqual([first.id, late.id]);
      expectNoBody(await api.requestLease(agent.id), 204);
    });

    test('requests that wait go on waiting, and get its tasks as soon as it is resumed', async () => {
      const body = { ...(await drain()), wait_seconds: 20 };
      const agent = await createPaused({ type: api.types[2] });
      const ended: string[] = [];
      const byAgent = api.requestLease(agent.id, { wait_seconds: 20 }).finally(() => ended.push('agent'));
      const byType = api.call('POST', '/leases', { body }).finally(() => ended.push('type'));
      await sleep(ARRIVED_MS);
      await api.createTasks(agent.id, 2);
      await sleep(ARRIVED_MS);
      expect(ended).toEqual([]);
      const resumedAt = performance.now();
      await resume(agent.id);
      expect([(await byAgent).status, (await byType).status]).toEqual([201, 201]);
      expect(performance.now() - resumedAt).toBeLessThan(5_000);
    });
  });

  test('the events tell of each pause with its reason, of a new reason, and of the end', async () => {
    const agent = await api.createAgent();
    await pause(agent.id, { reason: 'Maintenance' });
    await pause(agent.id, { reason: 'Maintenance' });
    await pause(agent.id);
    await resume(agent.id);
    await resume(agent.id);
    const events = (await eventsOf(agent)).slice(1);
    expect(events.map(({ type, data, status }) => ({ type, data, status }))).toEqual([
      { type: 'agent.paused', data: { reason: 'Maintenance' } },
      { type: 'agent.paused', data: { reason: null } },
      { type: 'agent.resumed' },
    ]);
    const query = `agent_id=${agent.id}&types=agent.paused,agent.resumed&limit=1000`;
    const ofFleet = await listAll<FleetEvent>(api, `/events?${query}`);
    expect(ofFleet.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
  });

  describe('GET /agents?paused=', () => {
    test('lists the paused agents or the others, with exact totals, also by status and type, in both orders', async () => {
      const type = String(api.types[2]);
      const all = await api.createAgents(5, { type });
      const [first, , third] = all as [Agent, Agent, Agent];
      await api.createRunning(first.id);
      for (const { id } of [first, third]) await pause(id);
      const own = new Set(all.map(({ id }) => id));
      for (const [query, expected] of [
        ['paused=true', [first, third]],
        ['paused=false', all.filter((agent) => agent !== first && agent !== third)],
        ['paused=true&status=active', [first]],
        ['paused=true&status=idle', [third]],
        ['paused=false&status=active', []],
        ['paused=true&status=none', []],
      ] as const) {
        // Replicas give ids of the same millisecond in any order.
        const ids = expected.map(({ id }) => id).sort();
        for (const order of ['asc', 'desc']) {
          const pages = await pagesOf(api, `/agents?type=${type}&${query}&order=${order}&limit=2`);
          const found = pages.flatMap(idsOf);
          for (const { headers } of pages) expect(headers['x-total-count']).toBe(String(found.length));
          expect(found.filter((id) => own.has(id))).toEqual(order === 'asc' ? ids : ids.toReversed());
        }
      }
      const withTime = await api.get(`/agents?type=${type}&paused=true&fields=paused_at&order=desc&limit=1`);
      const last = [first.id, third.id].sort().at(-1);
      expectResponse(withTime, 200, [{ id: last, paused_at: expect.stringMatching(TIMESTAMP) }]);
    });

    test.each(['yes', '', '1', 'TRUE', 'true,false'])('%j is 400', async (value) => {
      expectInvalid(await api.get(`/agents?paused=${value}`), 'paused');
    });

    test('twice is 400', async () => {
      expectInvalid(await api.get('/agents?paused=true&paused=true'), 'paused');
    });
  });
}
