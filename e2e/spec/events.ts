import { expect, test } from '@jest/globals';
import type { Agent, Api, Lease } from '../harness/api.ts';
import type { FleetEvent } from '../harness/event-stream.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import {
  expectDetail,
  expectInvalid,
  expectNoBody,
  expectResponse,
  linksOf,
  listAll,
  TIMESTAMP,
} from './expectations.ts';

const PAGE = 1_000;
const eventsOf = (response: HttpResponse) => response.json as FleetEvent[];
const typesOf = (events: FleetEvent[]) => events.map(({ type }) => type);

/** The number of the fleet's last event. */
export async function lastFleetEvent(api: Api): Promise<string> {
  return eventsOf(await api.get('/events?order=desc&limit=1'))[0]?.id ?? '0';
}

/** docs/contract.md "Events": the JSON form. */
export function specifyEvents(api: Api): void {
  /** Creates an agent with a task that was leased, reported progress and was completed. */
  async function live(): Promise<{ agent: Agent; held: Lease; path: string }> {
    const agent = await api.createAgent();
    const held = await api.createRunning(agent.id);
    await api.heartbeat(held, { progress: { percent: 50 } });
    await api.report(held, { result: 1 });
    return { agent, held, path: `/agents/${agent.id}` };
  }

  test('the events of an agent report changes of it and of its tasks in order', async () => {
    const { agent, held, path } = await live();
    const response = await api.get(`${path}/events`);
    expect(response.status).toBe(200);
    const events = eventsOf(response);
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(ids).size).toBe(ids.length);
    for (const event of events) {
      expect(event).toMatchObject({ agent_id: agent.id, at: expect.stringMatching(TIMESTAMP) });
      expect(event.task_id).toBe(event.type.startsWith('task.') ? held.task.id : undefined);
    }
    expect(typesOf(events)[0]).toBe('agent.created');
    const ofTask = events.filter(({ task_id }) => task_id);
    expect(ofTask.map(({ type, status }) => [type, status])).toEqual([
      ['task.created', 'pending'],
      ['task.leased', 'running'],
      ['task.progress', 'running'],
      ['task.completed', 'completed'],
    ]);
    const ofAgent = events.filter(({ type }) => type === 'agent.status').map(({ status }) => status);
    expect(ofAgent).toEqual(['active', 'idle']);
    expectResponse(await api.get(`${path}/tasks/${held.task.id}/events`), 200, ofTask);
  });

  test('each change has its event', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id);
    const path = `/agents/${id}/tasks/${task.id}`;
    await api.call('PUT', `/agents/${id}`, { body: { name: 'Other', type: api.types[0] } });
    await api.call('PUT', path, { body: { message: 'x', retry_policy: { strategy: 'fixed', delay_seconds: 0 } } });
    await api.release(await api.lease(id));
    await api.report(await api.lease(id, { wait_seconds: 10 }), { status: 'failed' });
    const held = await api.lease(id, { wait_seconds: 10 });
    await api.call('PUT', `${path}/cancellation`);
    await api.report(held, { status: 'cancelled' });
    await api.call('DELETE', path);
    const failing = await api.createRunning(id, { max_attempts: 1 });
    await api.report(failing, { status: 'failed' });
    const types = typesOf(eventsOf(await api.get(`/agents/${id}/events`))).filter((type) => type !== 'agent.status');
    expect(types).toEqual([
      ...['agent.created', 'task.created', 'agent.replaced', 'task.replaced'],
      ...['task.leased', 'task.released', 'task.leased', 'task.retry', 'task.leased'],
      ...['task.cancel_requested', 'task.cancelled', 'task.deleted'],
      ...['task.created', 'task.leased', 'task.failed'],
    ]);
  });

  test('the events of the fleet have those of all agents, with ids of their own', async () => {
    const after = await lastFleetEvent(api);
    const [one, other] = [await live(), await live()];
    await api.call('DELETE', other.path);
    const events = await listAll<FleetEvent>(api, `/events?after=${after}&limit=${PAGE}`);
    const withoutId = (found: FleetEvent[]) => found.map(({ id: _id, ...event }) => event);
    const ofOne = events.filter(({ agent_id }) => agent_id === one.agent.id);
    expect(withoutId(ofOne)).toEqual(withoutId(eventsOf(await api.get(`${one.path}/events`))));
    const ofOther = typesOf(events.filter(({ agent_id }) => agent_id === other.agent.id));
    expect([ofOther[0], ofOther.at(-1)]).toEqual(['agent.created', 'agent.deleted']);
  });

  test('after and limit page through events', async () => {
    const { path, held } = await live();
    for (const base of [path, `${path}/tasks/${held.task.id}`]) {
      const all = eventsOf(await api.get(`${base}/events`));
      const seen: FleetEvent[] = [];
      for (let after = '0'; ; after = String(seen.at(-1)?.id)) {
        const page = eventsOf(await api.get(`${base}/events?after=${after}&limit=2`));
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(2);
        seen.push(...page);
      }
      expect(seen).toEqual(all);
      expectResponse(await api.get(`${base}/events?after=${all.at(-1)?.id}`), 200, []);
    }
  });

  test('the list has 100 events by default, and reports missing history', async () => {
    const { id } = await api.createAgent();
    for (let batch = 0; batch < 4; batch++) await api.createTasks(id, 500);
    const path = `/agents/${id}/events`;
    expect(eventsOf(await api.get(path))).toHaveLength(100);
    const kept = eventsOf(await api.get(`${path}?after=1001&limit=1000`));
    expect(kept).toHaveLength(1_000);
    const [first, second] = eventsOf(await api.get(`${path}?after=1&limit=2`));
    expect([first?.type, second]).toEqual(['resync', kept[0]]);
    expect(typesOf(eventsOf(await api.get(`${path}?after=1&limit=1`)))).toEqual(['resync']);
    expect(eventsOf(await api.get(`${path}?after=${first?.id}&limit=1`))).toEqual([second]);
    expectResponse(await api.get(`${path}?order=desc&limit=1000`), 200, kept.toReversed());
    expectResponse(await api.get(`${path}?order=desc&after=3`), 200, []);
  });

  test('order=desc lists the newest first, also filtered, and continues with older ones by links', async () => {
    const after = await lastFleetEvent(api);
    const { agent, path } = await live();
    const isNew = ({ id }: FleetEvent) => Number(id) > Number(after);
    const own = `/events?agent_id=${agent.id}`;
    for (const base of [`${path}/events`, own, `${own}&types=task.created,task.leased`]) {
      const ascending = base.startsWith('/events') ? `${base}&after=${after}` : base;
      const expected = eventsOf(await api.get(ascending)).toReversed();
      expect(expected.length).toBeGreaterThan(1);
      const found: FleetEvent[] = [];
      let next: string | undefined = `${base}${base.includes('?') ? '&' : '?'}order=desc&limit=2`;
      while (next !== undefined && found.filter(isNew).length < expected.length) {
        const page: HttpResponse = await api.get(next);
        expect(page.status).toBe(200);
        found.push(...eventsOf(page));
        next = linksOf(page).next;
      }
      expect(found.slice(0, expected.length)).toEqual(expected);
      if (base.startsWith(path)) expect(next).toBeUndefined();
    }
  });

  test('order=desc takes after as the end, has no resync, and is 400 for a stream', async () => {
    const { path } = await live();
    const newest = eventsOf(await api.get(`${path}/events`)).toReversed();
    const read = (query: string) => api.get(`${path}/events?order=desc&${query}`);
    expectResponse(await read(`after=${newest[1]?.id}&limit=2`), 200, newest.slice(2, 4));
    expectResponse(await read(`after=${newest.at(-1)?.id}`), 200, []);
    expectResponse(await read('after=0'), 200, []);
    expectResponse(await read('after=9007199254740991'), 200, newest);
    expect(linksOf(await read(`limit=${newest.length}`)).next).toBeUndefined();
    expect(linksOf(await read(`limit=${newest.length - 1}`)).next).toContain(`after=${newest.at(-2)?.id}`);
    for (const list of ['/events', `${path}/events`]) {
      for (const value of ['', 'DESC', 'newest', 'asc&order=desc']) {
        expectInvalid(await api.get(`${list}?order=${value}`), 'order');
      }
      expectInvalid(await api.get(`${list}?order=desc`, { accept: 'text/event-stream' }), 'order');
    }
  });

  test('filters of the events of the fleet are combined, and pages continue by links', async () => {
    const after = await lastFleetEvent(api);
    const [one, other] = [await api.createAgent({ type: api.types[1] }), await api.createAgent({ type: api.types[2] })];
    for (const { id } of [one, other]) await api.report(await api.createRunning(id));
    await api.call('PUT', `/agents/${other.id}`, { body: { name: 'x', type: api.types[1] } });
    await api.createTask(other.id);
    /** Those of the two agents, on all pages. */
    const read = async (query: string) =>
      (await listAll<FleetEvent>(api, `/events?after=${after}&${query}`)).filter(
        ({ agent_id }) => agent_id === one.id || agent_id === other.id,
      );
    const all = await read(`limit=${PAGE}`);
    const expectEvents = async (query: string, matches: (event: FleetEvent, at: number) => boolean) =>
      expect(await read(`limit=3&${query}`)).toEqual(all.filter(matches));
    const ofAgent =
      ({ id }: Agent) =>
      (event: FleetEvent) =>
        event.agent_id === id;
    const replaced = all.findIndex(({ type }) => type === 'agent.replaced');
    await expectEvents(`agent_id=${one.id}`, ofAgent(one));
    await expectEvents(
      'types=task.created,task.completed',
      ({ type }) => /created|completed/.test(type) && /^task/.test(type),
    );
    await expectEvents(
      `types=agent.status&agent_id=${other.id}`,
      (event) => event.type === 'agent.status' && ofAgent(other)(event),
    );
    await expectEvents(`agent_type=${api.types[2]}`, (event, at) => ofAgent(other)(event) && at < replaced);
    await expectEvents(`agent_type=${api.types[1]}`, (event, at) => ofAgent(one)(event) || at >= replaced);
    expect(await read(`limit=${PAGE}&types=&agent_type=&agent_id=`)).toEqual(all);
    for (const query of ['agent_id=nope', 'agent_type=nope', 'types=resync']) await expectEvents(query, () => false);
    for (const text of [
      'nope',
      'task.created,',
      'TASK.CREATED',
      'task.created,%20task.leased',
      'task.created&types=resync',
    ]) {
      expectInvalid(await api.get(`/events?types=${text}`), 'types');
    }
    for (const name of ['agent_type', 'agent_id']) {
      expectInvalid(await api.get(`/events?${name}=a&${name}=b`), name);
    }
  });

  test('after and limit that are not an integer within bounds are 400', async () => {
    const { id } = await api.createAgent();
    for (const path of ['/events', `/agents/${id}/events`]) {
      for (const text of ['', '-1', '1.5', '0x10']) {
        expectInvalid(await api.get(`${path}?after=${text}&limit=${text}`), 'after', 'limit');
      }
      for (const limit of [0, 1001]) expectInvalid(await api.get(`${path}?limit=${limit}`), 'limit');
    }
  });

  test('events of a deleted agent are 404', async () => {
    const { id } = await api.createAgent();
    await api.call('DELETE', `/agents/${id}`);
    expectDetail(await api.get(`/agents/${id}/events`), 404, 'Agent not found');
  });

  test('the response is JSON unless the client prefers a stream, and HEAD has its headers without a body', async () => {
    const { path } = await live();
    for (const accept of ['*/*', 'application/json, text/event-stream;q=0.5', 'text/html, */*;q=0.1']) {
      expect((await api.get(`${path}/events`, { accept })).headers['content-type']).toMatch(/^application\/json/);
    }
    const { headers } = await api.get(`${path}/events`);
    const head = await api.call('HEAD', `${path}/events`, { headers: { accept: 'text/event-stream' } });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length']) expect(head.headers[name]).toBe(headers[name]);
    expectNoBody(await api.call('OPTIONS', `${path}/events`), 204);
  });
}
