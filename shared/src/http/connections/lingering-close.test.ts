import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { until } from '../../testing/until.ts';
import { closeLingering } from './lingering-close.ts';

const server = createServer();
afterEach(() => {
  jest.useRealTimers();
  server.close();
});

/** Both ends of a connection whose client keeps its side open. */
async function openConnection() {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  // Its server destroys the connection.
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  return { client, socket };
}

test('a connection that its client keeps open is destroyed between 1 and 2 s after the last bytes', async () => {
  const { client, socket } = await openConnection();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const finished = once(socket, 'finish');
  closeLingering(socket, 'last');
  await finished;
  jest.advanceTimersByTime(1_000);
  expect(socket.destroyed).toBe(false);
  jest.advanceTimersByTime(1_000);
  expect(socket.destroyed).toBe(true);
  client.destroy();
});

test('64 KiB are discarded, and no more is read than fits in the buffers of the socket', async () => {
  const { client, socket } = await openConnection();
  client.write(Buffer.alloc(8 * 1024 * 1024));
  closeLingering(socket);
  await until(() => socket.isPaused());
  expect(socket.bytesRead).toBeLessThan(512 * 1024);
  client.destroy();
});
