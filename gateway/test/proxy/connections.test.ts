import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, jest, test } from '@jest/globals';
import { respondOk, startPair, startProxy } from '../support/proxy.ts';
import { RawClient, statusesIn } from '../support/raw-client.ts';

const BODY = '{"worker_id":"w"}';
const POLL = `POST /leases HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** Uses connections that the gateway has already accepted, so that it reads all requests in one tick. */
async function sendAtOnce(port: number, count: number): Promise<RawClient[]> {
  const clients = Array.from({ length: count }, () =>
    new RawClient(port).send('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  await until(() => clients.every(({ text }) => statusesIn(text)[0] === 204));
  for (const client of clients) {
    client.text = '';
    client.send('GET /agents HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  return clients;
}

/** Waits while no timer runs: how many connections a timer opens depends on the machine. */
async function withoutTime(isTrue: () => boolean): Promise<void> {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval'] as const),
    ],
  });
  try {
    const deadline = Date.now() + 60_000;
    while (!isTrue() && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    jest.useRealTimers();
  }
}

test('many requests at once share connections to the service', async () => {
  const { upstream, gateway } = await startPair(respondOk);
  let connections = 0;
  upstream.server.on('connection', () => connections++);
  // undici keeps the first timer that it makes for the rest of the process.
  await fetch(`${gateway.origin}/agents`);
  const clients = await sendAtOnce(gateway.port, 400);
  await withoutTime(() => clients.every(({ text }) => statusesIn(text).length === 1));
  expect(new Set(clients.flatMap(({ text }) => statusesIn(text)))).toEqual(new Set([200]));
  expect(connections).toBeLessThan(100);
});

test('1,500 held requests have a connection each and delay no others', async () => {
  const held: ServerResponse[] = [];
  const { gateway } = await startPair((req, res) => {
    req.resume();
    if (req.url === '/leases') held.push(res);
    else respondOk(req, res);
  });
  const responses: string[] = [];
  const clients: Socket[] = [];
  for (let at = 1; at <= 1_500; at++) {
    const client = connect(gateway.port, '127.0.0.1').setEncoding('latin1');
    client.on('data', (text) => responses.push(String(text))).write(POLL);
    clients.push(client);
    // At most as fast as connections are accepted.
    if (at % 100 === 0) await until(() => held.length === at, { message: () => `${held.length} of ${at} arrived` });
  }
  expect(gateway.proxy.states()).toMatchObject([{ state: 'up', inFlight: 1_500 }]);
  for (let at = 0; at < 50; at++) expect((await fetch(`${gateway.origin}/agents`)).status).toBe(200);

  for (const res of held) res.writeHead(204).end();
  await until(() => responses.length === 1_500);
  expect(new Set(responses.flatMap(statusesIn))).toEqual(new Set([204]));
  await until(() => gateway.proxy.states()[0]?.inFlight === 0);
  for (const client of clients) client.destroy();
});

test('requests that wait for a connection fail with the first that is refused', async () => {
  const gateway = await startProxy(`http://127.0.0.1:${await freePort()}`);
  const clients = await sendAtOnce(gateway.port, 300);
  await until(() => clients.every(({ text }) => statusesIn(text).length > 0));
  expect(new Set(clients.map(({ text }) => statusesIn(text)[0]))).toEqual(new Set([503]));
});

test('requests whose clients have disconnected are aborted', async () => {
  const port = await freePort();
  const gateway = await startProxy(`http://127.0.0.1:${port}`);
  let requests = 0;
  const service = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => requests++);
  });
  service.listen(port, '127.0.0.1');
  await once(service, 'listening');
  own(() => service.close());
  const clients = await sendAtOnce(gateway.port, 100);
  await until(() => requests > 0);
  expect(gateway.proxy.states()[0]?.inFlight).toBe(100);
  for (const { socket } of clients) socket.destroy();
  await until(() => gateway.proxy.states()[0]?.inFlight === 0);
});
