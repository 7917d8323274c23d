import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { answerOk, closeAll, RawClient, startGateway, startPair, startUpstream, statusesIn } from './proxy-fixture.ts';

afterEach(closeAll);

const BODY = '{"worker_id":"w"}';
const POLL = `POST /leases HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

describe('a request that the service holds', () => {
  test.each([
    [204, undefined],
    [201, '{"leases":[]}'],
  ])('is answered with %i when the service responds', async (status, body) => {
    const { gateway } = await startPair(
      (_req, res) => setTimeout(() => res.writeHead(status, { 'x-waited': 'yes' }).end(body), 700),
      { timeoutMs: 20_000 },
    );
    const answer = await fetch(`${gateway.origin}/leases`, { method: 'POST', body: BODY });
    expect([answer.status, answer.headers.get('x-waited'), await answer.text()]).toEqual([status, 'yes', body ?? '']);
  });

  test('is aborted at the service when its client disconnects', async () => {
    let held: ServerResponse | undefined;
    const { gateway } = await startPair((req, res) => {
      req.resume();
      held = res;
    });
    const client = new RawClient(gateway.port).send(POLL);
    await until(() => held !== undefined);
    client.socket.destroy();
    await until(() => held?.destroyed === true && gateway.proxy.states()[0]?.inFlight === 0);
  });

  test('does not delay others, as one of 1,500', async () => {
    const held: ServerResponse[] = [];
    const { gateway } = await startPair((req, res) => {
      req.resume();
      if (req.url === '/leases') held.push(res);
      else answerOk(req, res);
    });
    const answers: string[] = [];
    const clients: Socket[] = [];
    for (let at = 1; at <= 1_500; at++) {
      const client = connect(gateway.port, '127.0.0.1').setEncoding('latin1');
      client.on('data', (text) => answers.push(String(text))).write(POLL);
      clients.push(client);
      // No faster than connections are accepted.
      if (at % 100 === 0) await until(() => held.length === at, { message: () => `${held.length} of ${at} arrived` });
    }
    expect(gateway.proxy.states()).toMatchObject([{ state: 'up', inFlight: 1_500 }]);
    for (let at = 0; at < 50; at++) expect((await fetch(`${gateway.origin}/agents`)).status).toBe(200);

    for (const res of held) res.writeHead(204).end();
    await until(() => answers.length === 1_500);
    expect(new Set(answers.flatMap(statusesIn))).toEqual(new Set([204]));
    await until(() => gateway.proxy.states()[0]?.inFlight === 0);
    for (const client of clients) client.destroy();
  });
});

test('headers of tasks and leases are forwarded in both directions', async () => {
  const upstream = await startUpstream((_req, res) => {
    res.writeHead(201, { 'idempotency-replayed': 'true', etag: '"2"', location: '/agents/1/tasks/2' }).end('{}');
  });
  const { origin } = await startGateway(upstream.url);
  const sent = { 'idempotency-key': 'key-1', 'x-lease-token': 'token-1', 'if-match': '"1"' };
  const answer = await fetch(`${origin}/agents/1/tasks`, { method: 'POST', headers: sent, body: '{}' });
  expect(upstream.received[0]?.headers).toMatchObject(sent);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'idempotency-replayed': 'true',
    etag: '"2"',
    location: '/agents/1/tasks/2',
  });
});
