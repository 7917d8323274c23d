import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const service = await startService();
const open = new Set<AbortController>();
afterAll(async () => {
  for (const controller of open) controller.abort();
  await service.close();
});

interface Event {
  id: string;
  type: string;
  agent_id?: string;
  task_id?: string;
}

const limitedTo = (...agents: string[]) => connectAs(service.url, 'key:reader', { agents });
type Client = ReturnType<typeof limitedTo>;

const listAll = async () => (await service.http.get('/events?limit=1000').expect(200)).body as Event[];

/** Reads all pages, by their links. Returns how many had fewer events than they could. */
async function readPages({ http }: Client, first: string, limit: number) {
  const events: Event[] = [];
  let pages = 0;
  let short = 0;
  for (let path: string | undefined = first; path; pages++) {
    const { body, headers }: { body: Event[]; headers: Record<string, string> } = await http.get(path).expect(200);
    expect(body.length).toBeLessThanOrEqual(limit);
    events.push(...body);
    path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    if (path && body.length < limit) short += 1;
  }
  return { events, pages, short };
}

/** Opens the fleet's stream and reads it in the background. */
async function openStream({ headers }: Client, lastEventId?: string) {
  const controller = new AbortController();
  open.add(controller);
  const { body } = await fetch(`${service.url}/events`, {
    headers: { ...headers, accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  const stream = { text: '', events: (): Event[] => eventsOf(stream.text) };
  const read = async () => {
    for await (const part of body as ReadableStream<Uint8Array>) stream.text += Buffer.from(part).toString();
  };
  read().catch(() => {});
  return stream;
}

const eventsOf = (text: string): Event[] =>
  [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = '']) => JSON.parse(data));

const [mine, too, other] = [await service.createAgent(), await service.createAgent(), await service.createAgent()];
const agents = [mine, too, other];
for (let at = 0; at < 30; at++) await service.createTask(agents[at % 3] as string);
const key = limitedTo(mine, too);

test('lists only events of the agents of a key, under the ids that they have for all', async () => {
  const visible = (await listAll()).filter(({ agent_id }) => agent_id !== other);
  expect((await key.http.get('/events').expect(200)).body).toEqual(visible);
  for (const limit of [1, 2, 7, 22, 1000]) {
    expect((await readPages(key, `/events?limit=${limit}`, limit)).events).toEqual(visible);
    const after = visible[4] as Event;
    const rest = await readPages(key, `/events?limit=${limit}&after=${after.id}`, limit);
    expect(rest.events).toEqual(visible.slice(5));
  }
  const last = visible.at(-1) as Event;
  const { body, headers } = await key.http.get(`/events?after=${last.id}`).expect(200);
  expect([body, headers.link]).toEqual([[], undefined]);
});

test('streams only events of the agents of a key: past ones, new ones, and after a resync', async () => {
  const visible = (await listAll()).filter(({ agent_id }) => agent_id !== other);
  const [past, live, gone] = [
    await openStream(key, visible[0]?.id),
    await openStream(key),
    await openStream(key, '9999999'),
  ];
  await until(() => past.events().length === visible.length - 1);
  const created: string[] = [];
  for (let at = 0; at < 9; at++) {
    const agent = agents[at % 3] as string;
    const { id } = await service.createTask(agent);
    if (agent !== other) created.push(id);
  }
  const idsOf = (events: Event[]) => events.map(({ task_id }) => task_id);
  for (const stream of [past, live]) await until(() => idsOf(stream.events()).includes(created.at(-1)));
  expect(idsOf(live.events())).toEqual(created);
  expect(idsOf(past.events()).slice(visible.length - 1)).toEqual(created);
  await until(() => idsOf(gone.events()).includes(created.at(-1)));
  expect(gone.events()[0]?.type).toBe('resync');
  for (const stream of [past, live, gone]) {
    expect(stream.events().filter(({ agent_id }) => agent_id === other)).toEqual([]);
    expect(stream.text).not.toContain(other);
  }
});

test('finds few events among many of others by pages that each read a bounded part', async () => {
  const rare = await service.createAgent();
  const sparse = limitedTo(rare);
  for (let at = 0; at < 22; at++) await service.createTasks(other, 500);
  await service.createTask(rare);
  const { events, pages, short } = await readPages(sparse, '/events?limit=1', 1);
  expect(events.map(({ type }) => type)).toEqual(['agent.created', 'task.created']);
  expect(short).toBeGreaterThanOrEqual(1);
  expect(pages).toBeLessThan(6);
  const stream = await openStream(sparse, events[0]?.id);
  await until(() => stream.events().length === 1);
  expect(stream.events()[0]).toEqual(events[1]);
});

test('tells the client of a stream how far it is, though it gets no events', async () => {
  const stream = await openStream(limitedTo(await service.createAgent()));
  await service.createTask(other);
  const last = (await service.redis.get(service.keys.event)) as string;
  await until(() => stream.text.includes(`:\nid: ${last}\n\n`), { timeoutMs: 20_000 });
  await sleep(50);
  expect(stream.events()).toEqual([]);
});

test('ends nothing and shows nothing when other agents are deleted, and shows its own deletion', async () => {
  const [own, foreign] = [await service.createAgent(), await service.createAgent()];
  const stream = await openStream(limitedTo(own));
  await service.http.delete(`/agents/${foreign}`).expect(204);
  await service.http.delete(`/agents/${own}`).expect(204);
  await until(() => stream.events().length > 0);
  expect(stream.events()).toMatchObject([{ type: 'agent.deleted', agent_id: own }]);
});
