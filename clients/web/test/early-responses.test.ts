import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fetchEarly, forgetEarlyResponses, requestKey } from '../src/api/early-responses.ts';

let server: Server;
let url: string;

beforeEach(async () => {
  server = createServer((_req, res) => res.end('new'));
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  url = `http://localhost:${(server.address() as AddressInfo).port}/tasks`;
  Object.assign(globalThis, { window: globalThis });
});
afterEach(() => void server.close().closeAllConnections());

function started(response: Promise<Response>): void {
  window.earlyResponses = new Map([[requestKey(new URL(url)), response]]);
}

const get = async (signal?: AbortSignal) => (await fetchEarly(url, { method: 'GET', signal: signal ?? null })).text();

test('takes the response that was requested early once', async () => {
  started(Promise.resolve(new Response('early')));
  expect([await get(), await get()]).toEqual(['early', 'new']);
});

test('requests anew what failed early or was forgotten', async () => {
  started(Promise.reject(new TypeError('failed')));
  expect(await get()).toBe('new');
  started(Promise.resolve(new Response('of the user before')));
  forgetEarlyResponses();
  expect(await get()).toBe('new');
});

test('does not wait for ever for an early response', async () => {
  started(new Promise(() => undefined));
  expect(await get()).toBe('new');
});

test('does not wait for an early response that is no longer wanted', async () => {
  started(new Promise(() => undefined));
  const reason = new Error('left');
  const controller = new AbortController();
  const response = get(controller.signal);
  controller.abort(reason);
  await expect(response).rejects.toBe(reason);
});
