import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createFleet, type StreamOptions } from '../src/index.ts';
import { type Answer, useServer } from './support/test-server.ts';

const { url, received, answer, answerAll, cutConnections } = await useServer();
const fleet = createFleet({ url, apiKey: 'key' });

const HEAD = { 'content-type': 'text/event-stream; charset=utf-8' };
const eventOf = (id: number) => `id: ${id}\nevent: task.created\ndata: {"n":${id}}\n\n`;
const stream =
  (text: string, then: (response: ServerResponse) => void = (response) => response.end()): Answer =>
  (response) => {
    response.writeHead(200, HEAD);
    response.write(`retry: 10\n\n${text}`);
    then(response);
  };
const OVER = { status: 204 };

async function readAll(options: StreamOptions = {}, count = Number.POSITIVE_INFINITY) {
  const ids: string[] = [];
  for await (const { id } of fleet.events('/events', options)) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

test('yields events with their data, and is over after 204', async () => {
  answer(stream('id: 1\nevent: resync\ndata: {"a":1}\n\nid: 2\nevent: x\ndata: text\n\n'), OVER);
  const events: unknown[] = [];
  const connections: boolean[] = [];
  const onConnection = (isOpen: boolean) => void connections.push(isOpen);
  for await (const event of fleet.events('/events', { onConnection })) events.push(event);
  expect(connections).toEqual([true, false]);
  expect(events).toEqual([
    { id: '1', event: 'resync', data: { a: 1 } },
    { id: '2', event: 'x', data: 'text' },
  ]);
  expect(received[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'key' });
});

test('gives live text of a log to who wants it', async () => {
  answer(stream('id: 1\ndata: 1\n\nevent: delta\ndata: {"call_id":null,"text":"The rel"}\n\n'), OVER);
  const deltas: unknown[] = [];
  expect(await readAll({ onDelta: (delta) => void deltas.push(delta) })).toEqual(['1']);
  expect(deltas).toEqual([{ call_id: null, text: 'The rel' }]);
});

test('begins after a given event, on the path with its parameters', async () => {
  answer(OVER);
  const params = { path: { agent_id: 'a/1', task_id: 't' } };
  for await (const _event of fleet.events('/agents/{agent_id}/tasks/{task_id}/events', { params, lastEventId: '9' }));
  expect(received).toMatchObject([{ url: '/agents/a%2F1/tasks/t/events', headers: { 'last-event-id': '9' } }]);
});

test('throws when the fleet is unavailable for too long', async () => {
  answerAll({ status: 503 });
  await expect(readAll({ outageMs: 200 })).rejects.toMatchObject({ status: 503 });
});

test('ends with the reason of its signal, and closes its connection when the caller breaks', async () => {
  const reason = new Error('enough');
  const closed: Promise<unknown>[] = [];
  const openStream = stream(eventOf(1), (response) => void closed.push(once(response, 'close')));
  answer(openStream, openStream);
  const controller = new AbortController();
  const reading = (async () => {
    for await (const _event of fleet.events('/events', { signal: controller.signal }))
      setTimeout(() => controller.abort(reason), 50);
  })();
  await expect(reading).rejects.toBe(reason);
  expect(await readAll({}, 1)).toEqual(['1']);
  expect(closed).toHaveLength(2);
  await Promise.all(closed);
});

test('gives an event without a type or an id the type message and the id before it, whatever the ends of lines', async () => {
  answer(
    stream('id: 1\r\ndata: 1\r\n\r\ndata\n: hi\nfoo: bar\n\nid: 2\nid: a\0b\ndata: a\ndata:  b\n\ndata: cut\n'),
    OVER,
  );
  const events: unknown[] = [];
  for await (const event of fleet.events('/events')) events.push(event);
  expect(events).toEqual([
    { id: '1', event: 'message', data: 1 },
    { id: '1', event: 'message', data: '' },
    { id: '2', event: 'message', data: 'a\n b' },
  ]);
});

test.each(['data: x\n', 'x', 'data: x'])('refuses an event without an end: %j', async (piece) => {
  answer(stream(piece.repeat(5_000_000)));
  await expect(readAll()).rejects.toThrow('too large');
});

test('reads nothing ahead of a slow caller', async () => {
  let written = 0;
  answer(
    stream('', (response) => {
      const write = () => {
        // Stops when nobody reads.
        while (written < 50_000_000 && response.write(`data: ${'x'.repeat(10_000)}\n\n`)) written += 10_000;
      };
      response.on('drain', write);
      write();
    }),
  );
  for await (const _event of fleet.events('/events')) {
    await sleep(1_000);
    break;
  }
  expect(written).toBeLessThan(20_000_000);
  cutConnections();
});
