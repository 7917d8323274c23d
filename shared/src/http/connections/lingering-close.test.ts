import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { closeLingering } from './lingering-close.ts';

const server = createServer();
afterEach(() => {
  jest.useRealTimers();
  server.close();
});

test('a connection that its client keeps open is destroyed between 1 and 2 s after the last bytes', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  const [socket] = (await once(server, 'connection')) as [Socket];
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
