import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { connectAs } from './support/callers.ts';
import { startService } from './support/start-service.ts';

const TYPES = [
  'agent.created',
  'agent.replaced',
  'agent.status',
  'task.created',
  'task.leased',
  'task.completed',
  'resync',
];

interface Event {
  id: string;
  type: string;
  agent_id: string;
  data?: { type?: string };
}

const service = await startService();
const open = new Set<AbortController>();
afterAll(async () => {
  for (const controller of open) controller.abort();
  await service.close();
});

async function openStream(query: string, lastEventId?: string) {
  const controller = new AbortController();
  open.add(controller);
  const { body } = await fetch(`${service.url}/events?${query}`, {
    headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  const stream = {
    text: '',
    events: (): Event[] => [...stream.text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = '']) => JSON.parse(data)),
  };
  const read = async () => {
    for await (const part of body as ReadableStream<Uint8Array>) stream.text += Buffer.from(part).toString();
  };
  read().catch(() => {});
  return stream;
}

const read = async (path: string) => (await service.http.get(path).expect(200)).body as Event[];

const agents = [
  await service.createAgent('claude'),
  await service.createAgent('gpt'),
  await service.createAgent('gpt'),
];
/** Creates tasks, completes some and changes a type. */
async function live(rounds: number): Promise<void> {
  for (let at = 0; at < rounds; at++) {
    const agent = agents[at % 3] as string;
    await service.createTask(agent);
    if (at % 2 === 0) {
      const [lease] = (await service.lease(agent)).body.leases;
      await service.report(lease, { status: 'completed' }).expect(200);
    }
    if (at % 5 === 0) {
      const type = at % 2 ? 'gemini' : 'claude';
      await service.http.put(`/agents/${agents[2]}`).send({ name: 'y', type }).expect(200);
    }
  }
}
await live(30);

/** Adds to events the type that the agent had then. */
function withTypes(events: readonly Event[]): (Event & { agentType: string | undefined })[] {
  const types = new Map(agents.map((id, at) => [id, at === 0 ? 'claude' : 'gpt']));
  return events.map((event) => {
    if (event.data?.type !== undefined) types.set(event.agent_id, event.data.type);
    return { ...event, agentType: types.get(event.agent_id) };
  });
}

test('lists the events that match all filters, in both orders, by pages that continue by links', async () => {
  const all = await read('/events?limit=1000');
  const property = fc.asyncProperty(
    fc.option(fc.array(fc.constantFrom(...TYPES), { minLength: 1 }), { nil: undefined, freq: 2 }),
    fc.option(fc.constantFrom('claude', 'gpt', 'gemini', 'none', ''), { nil: undefined, freq: 2 }),
    fc.option(fc.constantFrom(...agents, 'none', ''), { nil: undefined, freq: 2 }),
    fc.option(fc.uniqueArray(fc.constantFrom(...agents)), { nil: undefined, freq: 3 }),
    fc.integer({ min: 1, max: 40 }),
    fc.constantFrom(undefined, 'asc', 'desc'),
    async (types, agentType, agentId, visible, limit, order) => {
      const expected = withTypes(all)
        .filter(
          (event) =>
            types?.includes(event.type) !== false &&
            (agentType || event.agentType) === event.agentType &&
            (agentId || event.agent_id) === event.agent_id &&
            visible?.includes(event.agent_id) !== false,
        )
        .map(({ agentType: _, ...event }) => event);
      const { http } = visible ? connectAs(service.url, 'key:a', { agents: visible }) : service;
      const given = { types: types?.join(), agent_type: agentType, agent_id: agentId, limit: String(limit), order };
      const query = new URLSearchParams(
        Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const isFiltered = types || agentType || agentId || visible;
      const found: Event[] = [];
      for (let path: string | undefined = `/events?${query}`; path; ) {
        const { body, headers }: { body: Event[]; headers: Record<string, string> } = await http.get(path).expect(200);
        expect(body.length).toBeLessThanOrEqual(limit);
        found.push(...body);
        path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
        if (!isFiltered && order !== 'desc') expect(path).toBeUndefined();
      }
      if (order === 'desc') expect(found).toEqual(expected.toReversed());
      else expect(found).toEqual(isFiltered ? expected : all.slice(0, limit));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('streams past and new events that match, tells how far it is, and sends resync always', async () => {
  const before = await read('/events?limit=1000');
  const queries = [
    'types=task.created,task.completed&agent_type=gpt',
    `agent_id=${agents[0]}&types=agent.status`,
    'agent_type=claude',
    'types=agent.deleted',
  ];
  const [past, live_, gone] = await Promise.all([
    Promise.all(queries.map((query) => openStream(query, '0'))),
    Promise.all(queries.map((query) => openStream(query))),
    openStream('types=agent.deleted', '99999999'),
  ]);
  await live(8);
  const last = await service.redis.get(service.keys.event);
  for (const [at, query] of queries.entries()) {
    const expected = await read(`/events?limit=1000&${query}`);
    const after = expected.filter(({ id }) => Number(id) > Number(before.at(-1)?.id));
    await until(() => past[at]?.events().at(-1)?.id === expected.at(-1)?.id);
    expect(past[at]?.events()).toEqual(expected);
    await until(() => live_[at]?.events().at(-1)?.id === after.at(-1)?.id);
    expect(live_[at]?.events()).toEqual(after);
  }
  await until(() => live_[3]?.text.includes(`:\nid: ${last}\n\n`) === true, { timeoutMs: 20_000 });
  expect(gone.events().map(({ type }) => type)).toEqual(['resync']);
});

test('reads an agent newest first by pages of which only the last has no link', async () => {
  const path = `/agents/${agents[0]}/events`;
  const all = (await read(`${path}?limit=1000`)).toReversed();
  const get = async (query: string) => {
    const { body, headers } = await service.http.get(`${path}?order=desc&${query}`).expect(200);
    return { ids: (body as Event[]).map(({ id }) => id), link: headers.link };
  };
  const ids = all.map(({ id }) => id);
  expect(await get(`limit=${ids.length}`)).toEqual({ ids, link: undefined });
  const next = `<${path}?order=desc&limit=${ids.length - 1}&after=${ids.at(-2)}>; rel="next"`;
  expect(await get(`limit=${ids.length - 1}`)).toEqual({ ids: ids.slice(0, -1), link: next });
  expect(await get(`limit=2&after=${ids[3]}`)).toMatchObject({ ids: ids.slice(4, 6) });
  expect(await get(`after=${Number.MAX_SAFE_INTEGER}&limit=1`)).toMatchObject({ ids: ids.slice(0, 1) });
  for (const after of [0, 1, ids.at(-1)]) expect(await get(`after=${after}`)).toEqual({ ids: [], link: undefined });
});

test('lists no resync newest first, and ends with the oldest event that is kept', async () => {
  const agent = await service.createAgent();
  await service.createTasks(agent, 10);
  await service.redis.xtrim(service.keys.events(agent), 'MAXLEN', 4);
  const kept = await read(`/agents/${agent}/events?order=desc`);
  expect(kept).toHaveLength(4);
  expect(kept.toReversed()).toEqual(await read(`/agents/${agent}/events`));
  expect(await read(`/agents/${agent}/events?order=desc&after=3`)).toEqual([]);
});

test('refuses an order that is unknown, repeated, or newest first for a stream', async () => {
  for (const path of ['/events', `/agents/${agents[0]}/events`]) {
    for (const query of ['order=', 'order=DESC', 'order=newest', 'order=asc&order=desc']) {
      const { body } = await service.http.get(`${path}?${query}`).expect(400);
      expect(body.details.fields).toMatchObject([{ path: 'order', message: 'must be asc or desc' }]);
    }
    const { body } = await service.http.get(`${path}?order=desc`).set('accept', 'text/event-stream').expect(400);
    expect(body.details.fields).toEqual([
      { path: 'order', code: 'invalid_value', message: 'must be asc for a stream' },
    ]);
  }
});

test('looks up the type of an agent for events of earlier versions, in lists and streams', async () => {
  const [agent, other] = [await service.createAgent('gemini'), await service.createAgent('gpt')];
  const stream = await openStream('agent_type=gemini');
  const number = Number(await service.redis.get(service.keys.event));
  for (const [at, id] of [agent, other, 'deleted'].entries()) {
    const fields = ['a', id, 'n', '1000', 'y', 'task.retry', 't', 'x', 's', 'pending', 'm', '1790000000000', 'd', ''];
    await service.redis.set(service.keys.event, number + at + 1);
    await service.redis.xadd(service.keys.events(), `${number + at + 1}-0`, ...fields);
  }
  const task = await service.createTask(agent);
  const expected = [
    { type: 'task.retry', agent_id: agent },
    { type: 'task.created', task_id: task.id },
  ];
  expect(await read(`/events?agent_type=gemini&after=${number}`)).toMatchObject(expected);
  expect(await read('/events?agent_type=gemini&order=desc&limit=2')).toMatchObject(expected.toReversed());
  await until(() => stream.events().length === 2);
  expect(stream.events()).toMatchObject(expected);
});

test('refuses unknown types of events, and repeated filters', async () => {
  for (const accept of ['application/json', 'text/event-stream']) {
    for (const [name, query] of [
      ['types', 'types=nope'],
      ['types', 'types=task.created,'],
      ['types', 'types=task.created, task.leased'],
      ['types', 'types=TASK.CREATED'],
      ['types', 'types=__proto__'],
      ['types', 'types=task.created&types=task.leased'],
      ['agent_type', 'agent_type=a&agent_type=b'],
      ['agent_id', 'agent_id=a&agent_id=b'],
    ]) {
      const { body } = await service.http.get(`/events?${query}`).set('accept', accept).expect(400);
      expect(body.details.fields).toMatchObject([{ path: name }]);
    }
  }
});
