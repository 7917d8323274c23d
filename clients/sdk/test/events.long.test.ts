import { expect, test } from '@jest/globals';
import { createFleet } from '../src/index.ts';
import { useServer } from './support/test-server.ts';

const { url, received, answer } = await useServer();

test('a stream that is silent for 40 s is opened again, one with comments is not', async () => {
  answer(
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\ndata: 1\n\n');
      const comments = setInterval(() => response.write(':\n\n'), 15_000);
      setTimeout(() => clearInterval(comments), 50_000);
    },
    { status: 204 },
  );
  const beganAt = performance.now();
  for await (const { id } of createFleet({ url, apiKey: 'key' }).events('/events')) expect(id).toBe('1');
  const seconds = (performance.now() - beganAt) / 1_000;
  expect(seconds).toBeGreaterThan(45 + 39);
  expect(seconds).toBeLessThan(45 + 50);
  expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1']);
}, 180_000);
