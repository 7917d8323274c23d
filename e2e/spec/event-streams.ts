import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { EventStream, FleetEvent } from '../harness/event-stream.ts';
import { lastFleetEvent } from './events.ts';
import { expectInvalid } from './expectations.ts';

/** docs/contract.md "Events": Server-Sent Events. */
export function specifyEventStreams(api: Api): void {
  async function open(path: string, headers = {}): Promise<EventStream> {
    const stream = await api.stream(path, headers);
    own(() => stream.close());
    expect(stream.status).toBe(200);
    return stream;
  }
  const listed = async (path: string) => (await api.get(path)).json as FleetEvent[];

  test('a stream sends each event from now on as it happens', async () => {
    const { id } = await api.createAgent();
    const path = `/agents/${id}/events`;
    const stream = await open(path);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('cache-control')).toContain('no-store');
    expect(stream.headers.get('x-request-id')).not.toBeNull();
    const held = await api.createRunning(id);
    await stream.take(3);
    await api.report(held);
    const events = await stream.take(5);
    const expected = (await listed(path)).slice(1);
    expect(events.map(({ data }) => data)).toEqual(expected);
    expect(events.map(({ id: at, event }) => [at, event])).toEqual(expected.map((data) => [data.id, data.type]));
    expect(stream.ended).toBe(false);
  });

  test('a stream with Last-Event-ID sends the missed events, then new ones', async () => {
    const { id } = await api.createAgent();
    const path = `/agents/${id}/events`;
    const first = await open(path);
    for (const message of ['One', 'Two']) await api.createTask(id, { message });
    const [, last] = await first.take(2);
    first.close();
    for (const message of ['Three', 'Four']) await api.createTask(id, { message });
    const second = await open(path, { 'last-event-id': last?.id });
    await second.take(2);
    await api.createTask(id, { message: 'Five' });
    await second.take(3);
    const seen = [...first.events, ...second.events].map(({ data }) => data);
    expect(seen).toEqual((await listed(path)).slice(1));
    const whole = await open(path, { 'last-event-id': '0' });
    expect((await whole.take(6)).map(({ data }) => data)).toEqual(await listed(path));
  });

  test('many clients get each event once and in order under concurrent changes', async () => {
    const { id } = await api.createAgent();
    const path = `/agents/${id}/events`;
    const clients = await Promise.all(Array.from({ length: 10 }, () => open(path)));
    await Promise.all(Array.from({ length: 40 }, () => api.createTask(id)));
    for (const client of clients) {
      const events = await client.take(40);
      expect(events.map(({ data }) => data)).toEqual((await listed(path)).slice(1));
    }
  });

  test('a stream of the fleet has the events of all agents', async () => {
    const after = await lastFleetEvent(api);
    const [fromNow, ...resumed] = await Promise.all([
      open('/events'),
      open('/events', { 'last-event-id': after }),
      open(`/events?after=${after}`),
      open('/events?after=0', { 'last-event-id': after }),
    ]);
    const agents = await api.createAgents(2);
    for (const { id } of agents) await api.report(await api.createRunning(id));
    const lists = await Promise.all(agents.map(({ id }) => listed(`/events?after=${after}&agent_id=${id}`)));
    expect(lists.map(({ length }) => length)).toEqual([6, 6]);
    const expected = lists.flat().toSorted((one, other) => Number(one.id) - Number(other.id));
    const ofOwn = ({ events }: EventStream) =>
      events.map(({ data }) => data).filter(({ agent_id }) => agents.some(({ id }) => id === agent_id));
    for (const stream of [fromNow, ...resumed]) {
      await until(() => ofOwn(stream).length >= expected.length, { message: 'all have come' });
      expect(ofOwn(stream)).toEqual(expected);
    }
  });

  test('a stream of the fleet has only the events that match its filters', async () => {
    const after = await lastFleetEvent(api);
    const [one, other] = await api.createAgents(2);
    const query = `types=task.created,task.completed&agent_id=${one?.id}`;
    const streams = [await open(`/events?${query}`), await open(`/events?${query}`, { 'last-event-id': after })];
    for (const agent of [other, one]) await api.report(await api.createRunning(String(agent?.id)));
    const expected = await listed(`/events?after=${after}&${query}`);
    expect(expected.map(({ type }) => type)).toEqual(['task.created', 'task.completed']);
    for (const stream of streams) expect((await stream.take(2)).map(({ data }) => data)).toEqual(expected);
    for (const text of ['nope', '__proto__', 'task.created&types=task.leased']) {
      expectInvalid(await api.get(`/events?types=${text}`, { accept: 'text/event-stream' }), 'types');
    }
  });

  test('a stream of the events of a type follows an agent that gets another type', async () => {
    const after = await lastFleetEvent(api);
    const agent = await api.createAgent({ type: api.types[1] });
    const query = `agent_id=${agent.id}&agent_type=${api.types[1]}`;
    const streams = [await open(`/events?${query}`), await open(`/events?${query}`, { 'last-event-id': after })];
    for (const type of [2, 1]) {
      await api.call('PUT', `/agents/${agent.id}`, { body: { name: 'x', type: api.types[type] } });
      await api.createTask(agent.id);
    }
    const [created, , , back, task] = await listed(`/agents/${agent.id}/events`);
    const [live, past] = streams.map((stream) => () => stream.events.map(({ data: { type, at } }) => [type, at]));
    const expected = [back, task].map((event) => [event?.type, event?.at]);
    await until(() => live?.().length === 2 && past?.().length === 3);
    expect([live?.(), past?.()]).toEqual([expected, [[created?.type, created?.at], ...expected]]);
  });

  test('a filter does not keep resync from a stream', async () => {
    const { id } = await api.createAgent();
    const stream = await open(`/events?types=agent.deleted&agent_id=${id}`, { 'last-event-id': '9007199254740991' });
    await stream.take(1);
    await api.call('DELETE', `/agents/${id}`);
    await stream.take(2);
    expect(stream.types).toEqual(['resync', 'agent.deleted']);
  });

  test('a stream of a task begins with its past events and closes after the task ends', async () => {
    const { id } = await api.createAgent();
    const held = await api.createRunning(id);
    await api.createTask(id, { message: 'Another one' });
    const path = `/agents/${id}/tasks/${held.task.id}/events`;
    const stream = await open(path);
    await stream.take(2);
    expect(stream.ended).toBe(false);
    await api.heartbeat(held, { progress: { percent: 1 } });
    await stream.take(3);
    const resumed = await open(path, { 'last-event-id': stream.events[1]?.id });
    await api.report(held);
    const past = await open(path);
    for (const one of [stream, resumed, past]) await one.untilEnded();
    const expected = ['task.created', 'task.leased', 'task.progress', 'task.completed'];
    expect([stream.types, resumed.types, past.types]).toEqual([expected, expected.slice(2), expected]);
  });

  test('a stream of a task closes when the task is deleted or cancelled', async () => {
    const { id } = await api.createAgent();
    for (const [method, rest, type] of [
      ['DELETE', '', 'task.deleted'],
      ['PUT', '/cancellation', 'task.cancelled'],
    ] as const) {
      const task = await api.createTask(id);
      const path = `/agents/${id}/tasks/${task.id}`;
      const stream = await open(`${path}/events`);
      await stream.take(1);
      await api.call(method, path + rest);
      await stream.untilEnded();
      expect(stream.types).toEqual(['task.created', type]);
    }
  });

  test('the streams of an agent and of its tasks close when the agent is deleted', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id);
    const streams = [await open(`/agents/${id}/events`), await open(`/agents/${id}/tasks/${task.id}/events`)];
    await api.call('DELETE', `/agents/${id}`);
    for (const stream of streams) await stream.untilEnded();
  });

  test('clients whose streams end together are to reconnect at different times, in 0.5 to 1.5 s', async () => {
    const { id } = await api.createAgent();
    const options = { headers: { accept: 'text/event-stream' }, readUntil: /^retry: \d+\n\n/ };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => api.call('GET', `/agents/${id}/events`, options)),
    );
    const times = responses.map(({ text }) => Number(/\d+/.exec(text)?.[0]));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...times)).toBeLessThanOrEqual(1_500);
    expect(new Set(times).size).toBeGreaterThan(10);
  });

  test('a stream begins with resync when history is missing', async () => {
    const { id } = await api.createAgent();
    for (let batch = 0; batch < 4; batch++) await api.createTasks(id, 500);
    const stream = await open(`/agents/${id}/events`, { 'last-event-id': '1' });
    await stream.take(900);
    expect(stream.types.slice(0, 2)).toEqual(['resync', 'task.created']);
    expect(stream.types.filter((type) => type === 'resync')).toHaveLength(1);
  });

  test('a Last-Event-ID in the future gets resync, up to the largest id', async () => {
    const { id } = await api.createAgent();
    for (const lastEventId of ['1000000000000000', '9007199254740991']) {
      const stream = await open(`/agents/${id}/events`, { 'last-event-id': lastEventId });
      await stream.take(2);
      expect(stream.types).toEqual(['resync', 'agent.created']);
      const listed = (await api.get(`/agents/${id}/events?after=${lastEventId}`)).json as FleetEvent[];
      expect(listed.map(({ type }) => type)).toEqual(['resync', 'agent.created']);
    }
  });

  test('a stream has no other line ends than those of its format', async () => {
    const { id } = await api.createAgent();
    const reason = 'one\r\ntwo\u0085three\u2028four\u2029five';
    await api.call('PUT', `/agents/${id}/pause`, { body: { reason } });
    const headers = { accept: 'text/event-stream', 'last-event-id': '1' };
    const { text } = await api.call('GET', `/agents/${id}/events`, { headers, readUntil: /\n\n.*\n\n/s });
    const [, data = ''] = /^data: ([^\n\r\u0085\u2028\u2029]+)\n\n$/m.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({ type: 'agent.paused', data: { reason } });
  });

  test('an invalid Last-Event-ID is 400', async () => {
    const accept = 'text/event-stream';
    for (const id of ['x', '-1', '1-0', '1.5', '9007199254740992', '9'.repeat(30)]) {
      expectInvalid(await api.get('/events', { accept, 'last-event-id': id }), 'Last-Event-ID');
    }
  });
}
