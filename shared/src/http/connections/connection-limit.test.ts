import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../../logger.ts';
import { listen } from '../../testing/listen.ts';
import { createHttpApp, finishApp } from '../app.ts';
import type { RunningServer, ServeOptions } from '../serve.ts';

let running: RunningServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await running.close();
});

async function start(options: Partial<ServeOptions>): Promise<void> {
  const app = createHttpApp();
  app.get('/never', () => undefined);
  finishApp(app, createLogger('test', 'silent'));
  running = await listen(app, options);
}

/** Opens a connection; reports whether it gets a response or is closed. */
async function open(): Promise<{ socket: Socket; answers: boolean }> {
  const socket = connect(running.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
  const [event] = await Promise.race([
    once(socket, 'data').then(() => ['data']),
    once(socket, 'close').then(() => ['close']),
  ]);
  return { socket, answers: event === 'data' };
}

test('a client may have a limited number of connections, and other clients are not affected', async () => {
  const clients = ['one', 'one', 'one', 'two', 'one', undefined, undefined, undefined];
  await start({ connectionLimit: { maxPerClient: 2, clientOf: () => clients.shift() } });
  const [first, second, third, other] = [await open(), await open(), await open(), await open()];
  expect([first, second, third, other].map(({ answers }) => answers)).toEqual([true, true, false, true]);
  first.socket.end();
  await once(first.socket, 'close');
  expect((await open()).answers).toBe(true);
  for (let times = 0; times < 3; times++) expect((await open()).answers).toBe(true);
});

test('a connection that is silent within a request is closed', async () => {
  await start({ silentMs: 200 });
  const socket = connect(running.port, '127.0.0.1').resume();
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'close');
  expect(socket.bytesRead).toBe(0);
});
