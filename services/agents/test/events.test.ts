import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

/** A client that reads nothing for so long is cut off; those that read do so far more often, also on a busy machine. */
const DRAIN_MS = 5_000;

let service: StartedService;
let agentId: string;
const open = new Set<AbortController>();
beforeAll(async () => {
  service = await startService({ drainMs: DRAIN_MS });
});
afterAll(async () => {
  for (const controller of open) controller.abort();
  await service.close();
});
beforeEach(async () => {
  agentId = (await service.http.post('/agents').send({ name: 'x', type: 'claude' })).body.id;
});

interface Told {
  id: string;
  type: string;
  status?: string;
  task_id?: string;
}

/** A client of a stream: what has come, and whether it is still open. */
async function openStream(path: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  open.add(controller);
  const response = await fetch(`${service.url}${path}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const stream = { response, text: '', ended: false, close: () => controller.abort() };
  const read = async () => {
    for await (const part of response.body as ReadableStream<Uint8Array>) stream.text += Buffer.from(part).toString();
  };
  read()
    .catch(() => {})
    .finally(() => {
      stream.ended = true;
    });
  return stream;
}

function eventsOf({ text }: { text: string }): Told[] {
  const blocks = text.split('\n\n').filter((block) => block.includes('data:'));
  return blocks.map((block) => {
    const [, id, type, data = ''] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
    const event = JSON.parse(data) as Told;
    expect(event).toMatchObject({ id, type });
    return event;
  });
}

const typesOf = (events: Told[]) => events.map(({ type }) => type);
const createTask = async (fields: object = {}) =>
  (
    await service.http
      .post(`/agents/${agentId}/tasks`)
      .send({ message: 'x', ...fields })
      .expect(201)
  ).body;

async function complete(): Promise<void> {
  const { body } = await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(201);
  const { id, token } = body.leases[0];
  await service.http.put(`/leases/${id}/result`).send({ token, status: 'completed', result: 1 }).expect(200);
}

const STORY = ['task.created', 'task.leased', 'agent.status', 'task.completed', 'agent.status'];

test('the events of an agent tell its story, in order and numbered', async () => {
  const task = await createTask();
  await complete();
  const { body } = await service.http.get(`/agents/${agentId}/events`).expect(200);
  expect(typesOf(body)).toEqual(['agent.created', ...STORY]);
  expect(body.map(({ id }: Told) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(body[2]).toEqual({
    id: '3',
    type: 'task.leased',
    agent_id: agentId,
    task_id: task.id,
    status: 'running',
    at: expect.any(String),
    data: { attempt: 1, worker_id: 'w' },
  });
  expect(body.map(({ status }: Told) => status)).toEqual(['idle', 'pending', 'running', 'active', 'completed', 'idle']);
  const page = await service.http.get(`/agents/${agentId}/events?after=2&limit=2`).expect(200);
  expect(page.body).toEqual(body.slice(2, 4));
  const ofTask = await service.http.get(`/agents/${agentId}/tasks/${task.id}/events`).expect(200);
  expect(typesOf(ofTask.body)).toEqual(['task.created', 'task.leased', 'task.completed']);
});

test('the events of the fleet are those of all agents', async () => {
  const last = Number((await service.http.get('/events?limit=1000')).body.at(-1).id);
  await createTask();
  await service.http.delete(`/agents/${agentId}`).expect(204);
  const { body } = await service.http.get(`/events?after=${last}`).expect(200);
  expect(typesOf(body)).toEqual(['task.created', 'agent.deleted']);
  expect(body.map(({ id }: Told) => Number(id))).toEqual([last + 1, last + 2]);
});

test('a stream of an agent starts with what comes from now and goes on', async () => {
  await createTask();
  const stream = await openStream(`/agents/${agentId}/events`);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('x-request-id')).toMatch(/./);
  await complete();
  await until(() => eventsOf(stream).length === 4);
  expect(typesOf(eventsOf(stream))).toEqual(STORY.slice(1));
  expect(stream.ended).toBe(false);
  stream.close();
});

test('a stream is resumed after the last event that was seen, without a gap', async () => {
  await createTask();
  await complete();
  const stream = await openStream(`/agents/${agentId}/events`, { 'last-event-id': '3' });
  await until(() => eventsOf(stream).length === 3);
  await createTask();
  await until(() => eventsOf(stream).length === 4);
  expect(eventsOf(stream).map(({ id }) => id)).toEqual(['4', '5', '6', '7']);
  stream.close();
});

test('a stream of a task starts with its past and closes after its end', async () => {
  await createTask({ priority: 9 });
  const task = await createTask({ priority: 1 });
  const stream = await openStream(`/agents/${agentId}/tasks/${task.id}/events`);
  await until(() => eventsOf(stream).length === 1);
  await complete();
  await until(() => stream.ended);
  expect(typesOf(eventsOf(stream))).toEqual(['task.created', 'task.leased', 'task.completed']);
  const past = await openStream(`/agents/${agentId}/tasks/${task.id}/events`);
  await until(() => past.ended);
  expect(eventsOf(past)).toEqual(eventsOf(stream));
});

test('many streams of the fleet get every event once, in order, while many agents work', async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => openStream('/events')));
  const agents = await Promise.all(
    Array.from({ length: 10 }, () => service.http.post('/agents').send({ name: 'x', type: 'gpt' })),
  );
  await Promise.all(
    agents.map(async ({ body: { id } }) => {
      for (let at = 0; at < 5; at++) await service.http.post(`/agents/${id}/tasks`).send({ message: 'x' }).expect(201);
    }),
  );
  await until(() => streams.every((stream) => eventsOf(stream).length >= 60));
  const [first, ...others] = streams.map(eventsOf);
  for (const other of others) expect(other).toEqual(first);
  const ids = (first as Told[]).map(({ id }) => Number(id));
  expect(ids).toEqual(ids.map((_, at) => (ids[0] as number) + at));
  for (const stream of streams) stream.close();
});

test('streams of an agent and of its tasks end with it', async () => {
  const { id } = await createTask();
  const streams = await Promise.all([
    openStream(`/agents/${agentId}/events`),
    openStream(`/agents/${agentId}/tasks/${id}/events`),
  ]);
  const waiting = service.http.get(`/agents/${agentId}/tasks/${id}?wait=20`).then((response) => response);
  await service.http.delete(`/agents/${agentId}`).expect(204);
  await until(() => streams.every(({ ended }) => ended));
  expect((await waiting).status).toBe(404);
});

test('history that is gone is told by a resync', async () => {
  await createTask();
  await createTask();
  await service.redis.xtrim(service.keys.agentEvents(agentId), 'MAXLEN', 1);
  const { body } = await service.http.get(`/agents/${agentId}/events?after=1`).expect(200);
  expect(body).toMatchObject([
    { id: '2', type: 'resync' },
    { id: '3', type: 'task.created' },
  ]);
  expect(typesOf((await service.http.get(`/agents/${agentId}/events`)).body)).toEqual(['task.created']);
  const stream = await openStream(`/agents/${agentId}/events`, { 'last-event-id': '1' });
  await until(() => eventsOf(stream).length === 2);
  expect(typesOf(eventsOf(stream))).toEqual(['resync', 'task.created']);
  stream.close();
});

test('a stream of a task that has ended closes, whatever of its past is kept', async () => {
  const { id } = await createTask();
  await complete();
  const path = `/agents/${agentId}/tasks/${id}/events`;
  const { body } = await service.http.get(path);
  const again = await openStream(path, { 'last-event-id': body.at(-1).id });
  expect(again.response.status).toBe(204);
  const { redis, keys } = service;
  await redis.xtrim(keys.agentEvents(agentId), 'MAXLEN', 3);
  const cut = await openStream(path);
  await until(() => cut.ended);
  expect(typesOf(eventsOf(cut))).toEqual(['resync', 'task.completed']);
  await redis.xtrim(keys.agentEvents(agentId), 'MAXLEN', 1);
  const gone = await openStream(path);
  await until(() => gone.ended);
  expect(typesOf(eventsOf(gone))).toEqual(['resync']);
});

test('of an agent about a thousand events are kept', async () => {
  const tasks = Array.from({ length: 400 }, () => ({ message: 'x' }));
  for (let at = 0; at < 3; at++) await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  expect(await service.redis.xlen(service.keys.agentEvents(agentId))).toBe(1_000);
  const { body } = await service.http.get(`/agents/${agentId}/events?limit=1`).expect(200);
  expect(body).toMatchObject([{ id: '202' }]);
});

test('a client that does not read is cut off, and others go on', async () => {
  const slow = await openWithoutReading();
  const other = await openStream('/events');
  const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
  const tasks = Array.from({ length: 200 }, () => ({ message: 'x', max_attempts: 10, retry_policy }));
  await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  // Each failed attempt tells 8 KiB: 16 MiB are more than sockets keep for a client.
  const error = { code: 'x', message: 'y'.repeat(8_192), retryable: true };
  for (let failed = 0; failed < 2_000; failed += 20) {
    const { body } = await service.http
      .post(`/agents/${agentId}/leases`)
      .send({ worker_id: 'w', max_tasks: 20 })
      .expect(201);
    await Promise.all(
      body.leases.map(({ id, token }: { id: string; token: string }) =>
        service.http.put(`/leases/${id}/result`).send({ token, status: 'failed', error }).expect(200),
      ),
    );
  }
  await until(() => Buffer.byteLength(other.text) > 16_000_000);
  await sleep(2 * DRAIN_MS);
  expect(await slow.readToEnd()).toBeLessThan(16_000_000);
  expect(other.ended).toBe(false);
  other.close();
}, 180_000);

test('a client that reads late gets all that it has missed', async () => {
  const late = await openWithoutReading();
  const tasks = Array.from({ length: 500 }, () => ({ message: 'x' }));
  await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  const last = Number((await service.redis.get(service.keys.fleetSeq)) as string);
  const text = await late.readUntil(`id: ${last}\n`);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(ids.map((_, at) => last - ids.length + 1 + at));
  expect(ids.length).toBeGreaterThanOrEqual(1_000);
});

test.each(['x', '-1', '1.5'])('Last-Event-ID %s is refused', async (id) => {
  const { status } = await fetch(`${service.url}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': id },
  });
  expect(status).toBe(400);
});

test('what is not there has no events', async () => {
  await service.http.get('/agents/missing/events').expect(404, { detail: 'Agent not found' });
  await service.http.get(`/agents/${agentId}/tasks/missing/events`).expect(404, { detail: 'Task not found' });
});

/** A client that opens the fleet's stream and does not read it. */
async function openWithoutReading() {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => {});
  socket.write(`GET /events HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.pause();
  return {
    /** Gives how many bytes had been sent until the stream was cut off. */
    async readToEnd(): Promise<number> {
      socket.resume();
      await ended;
      return socket.bytesRead;
    },
    async readUntil(part: string): Promise<string> {
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      socket.resume();
      await until(() => text.includes(part));
      socket.destroy();
      return text;
    },
  };
}
