import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { Connections } from './connections.ts';

/** undici checks its timers about once a second. */
const CONNECT_TIMEOUT_MS = 500;
const BACKLOG = 16;
/** Hundreds more than the number of connections opened within that time, 32 every 20 ms. */
const REQUESTS = 2_000;

/** A service that never accepts a connection; the kernel accepts some for it. */
const SERVICE = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: ${BACKLOG} }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

let service: Worker | undefined;
let connections: Connections | undefined;

afterEach(async () => {
  await connections?.destroy();
  await service?.terminate();
});

test('a connection timeout fails its own request only', async () => {
  service = new Worker(SERVICE, { eval: true });
  const [port] = await once(service, 'message');
  let timedOut = 0;
  const onConnectError = () => void timedOut++;
  connections = new Connections(`http://127.0.0.1:${port}`, { connectTimeout: CONNECT_TIMEOUT_MS, onConnectError });
  const { promise: allFailed, resolve } = Promise.withResolvers<void>();
  let failed = 0;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd() {},
    // The kernel accepts one more than the backlog.
    onResponseError: () => void (++failed === REQUESTS - BACKLOG - 1 && resolve()),
  };
  for (let at = 0; at < REQUESTS; at++) connections.dispatch({ path: '/', method: 'GET' }, handler);
  await allFailed;
  expect(timedOut).toBe(failed);
});
