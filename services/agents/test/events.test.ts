import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

/** A client that reads nothing for this time is disconnected. */
const STALLED_MS = 4_000;
const MIB = 1024 * 1024;

const service = await startService({ stalledMs: STALLED_MS });
let agentId: string;
const open = new Set<AbortController>();
afterAll(async () => {
  for (const controller of open) controller.abort();
  await service.close();
});
beforeEach(async () => {
  agentId = await service.createAgent();
});

interface Event {
  id: string;
  type: string;
}

/** Opens a stream and reads it in the background. */
async function openStream(path: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  open.add(controller);
  const response = await fetch(`${service.url}${path}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const stream = { status: response.status, text: '', ended: false, close: () => controller.abort() };
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

function eventsOf({ text }: { text: string }): Event[] {
  return [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = '']) => JSON.parse(data));
}

async function readToEnd(path: string): Promise<string[]> {
  const stream = await openStream(path);
  await until(() => stream.ended);
  return eventsOf(stream).map(({ type }) => type);
}

/** Opens the fleet's stream and does not read it. */
async function openWithoutReading() {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`GET /events HTTP/1.1\r\nhost: ${hostname}\r\naccept: text/event-stream\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.pause();
  return {
    /** Returns the number of bytes that were sent before the stream ended. */
    async readToEnd(): Promise<number> {
      socket.resume();
      await until(() => socket.closed);
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

test('ends the streams of an agent and of its tasks when the agent is deleted', async () => {
  const { id } = await service.createTask(agentId);
  const streams = await Promise.all([
    openStream(`/agents/${agentId}/events`),
    openStream(`/agents/${agentId}/tasks/${id}/events`),
  ]);
  const start = Date.now();
  const waiting = service.http.get(`/agents/${agentId}/tasks/${id}?wait=20`).then((response) => response);
  // The client waits now.
  await sleep(500);
  await service.http.delete(`/agents/${agentId}`).expect(204);
  await until(() => streams.every(({ ended }) => ended));
  expect((await waiting).status).toBe(404);
  expect(Date.now() - start).toBeLessThan(15_000);
});

test('lets streams that end together reconnect at different times, in 0.5 to 1.5 s', async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(`/agents/${agentId}/events`)));
  const times = await until(() => streams.map(({ text }) => Number(/^retry: (\d+)\n\n/.exec(text)?.[1])), {
    holds: (found) => !found.some(Number.isNaN),
  });
  for (const stream of streams) stream.close();
  expect(Math.min(...times)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...times)).toBeLessThanOrEqual(1_500);
  expect(new Set(times).size).toBeGreaterThan(10);
});

test('closes the stream of an ended task even when its events are trimmed', async () => {
  const { redis, keys } = service;
  const { id } = await service.createTask(agentId);
  const [lease] = (await service.lease(agentId)).body.leases;
  await service.report(lease, { status: 'completed' }).expect(200);
  const path = `/agents/${agentId}/tasks/${id}/events`;
  const last = (await service.http.get(path)).body.at(-1).id;
  expect((await openStream(path, { 'last-event-id': last })).status).toBe(204);
  await redis.xtrim(keys.events(agentId), 'MAXLEN', 3);
  expect(await readToEnd(path)).toEqual(['resync', 'task.completed']);
  await redis.xtrim(keys.events(agentId), 'MAXLEN', 1);
  expect(await readToEnd(path)).toEqual(['resync']);
});

test('keeps about a thousand events per agent', async () => {
  for (let at = 0; at < 3; at++) await service.createTasks(agentId, 400);
  expect(await service.redis.xlen(service.keys.events(agentId))).toBe(1_000);
  const { body } = await service.http.get(`/agents/${agentId}/events?limit=1`).expect(200);
  expect(body).toMatchObject([{ id: '202' }]);
});

test('disconnects a client that does not read, while others get all events', async () => {
  const slow = await openWithoutReading();
  const other = await openStream('/events');
  const { redis, keys } = service;
  const event = ['a', agentId, 'n', 0, 'y', 'task.retry', 't', '', 's', '', 'm', Date.now()];
  const data = JSON.stringify('x'.repeat(MIB));
  // More than the socket buffers hold.
  for (let sent = 0; sent < 16; sent++) {
    const number = await redis.incr(keys.event);
    await redis.xadd(keys.events(), `${number}-0`, ...event, 'd', data);
  }
  await until(() => other.text.length > 16 * MIB);
  await sleep(2 * STALLED_MS);
  expect(await slow.readToEnd()).toBeLessThan(15 * MIB);
  expect(other.ended).toBe(false);
  other.close();
});

test('sends all missed events to a client that reads late', async () => {
  const late = await openWithoutReading();
  for (let at = 0; at < 2; at++) await service.createTasks(agentId, 500);
  const last = Number((await service.redis.get(service.keys.event)) as string);
  const text = await late.readUntil(`id: ${last}\n`);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(ids.map((_, at) => last - ids.length + 1 + at));
  expect(ids.length).toBeGreaterThanOrEqual(1_000);
});

test('responds with the resync alone to limit=1 after events that are gone', async () => {
  for (const path of ['/events', `/agents/${agentId}/events`]) {
    const { body } = await service.http.get(`${path}?after=999999&limit=1`).expect(200);
    expect(body).toMatchObject([{ type: 'resync' }]);
    const next = await service.http.get(`${path}?after=${body[0].id}&limit=1`).expect(200);
    expect(next.body).toMatchObject([{ type: 'agent.created' }]);
  }
});
