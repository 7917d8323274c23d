import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, expect, test } from '@jest/globals';
import { openStream } from '../support/event-stream.ts';
import { startService } from '../support/start-service.ts';

/** A client that reads nothing for this time is disconnected. */
const STALLED_MS = 4_000;
const MIB = 1024 * 1024;

const service = await startService({ stalledMs: STALLED_MS });
let agentId: string;
beforeEach(async () => {
  agentId = await service.createAgent();
});

async function readToEnd(path: string): Promise<string[]> {
  const stream = await openStream(service.url + path);
  await until(() => stream.ended);
  return stream.items().map(({ type }) => type);
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

test('closes the stream of an ended task even when its events are trimmed', async () => {
  const { redis, keys } = service;
  const { id } = await service.createTask(agentId);
  const [lease] = (await service.lease(agentId)).body.leases;
  await service.report(lease, { status: 'completed' }).expect(200);
  const path = `/agents/${agentId}/tasks/${id}/events`;
  const last = (await service.http.get(path)).body.at(-1).id;
  expect((await openStream(service.url + path, { 'last-event-id': last })).status).toBe(204);
  await redis.xtrim(keys.events(agentId), 'MAXLEN', 3);
  expect(await readToEnd(path)).toEqual(['resync', 'task.completed']);
  await redis.xtrim(keys.events(agentId), 'MAXLEN', 1);
  expect(await readToEnd(path)).toEqual(['resync']);
});

test('disconnects a client that does not read, while others get all events', async () => {
  const slow = await openWithoutReading();
  const other = await openStream(`${service.url}/events`);
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
