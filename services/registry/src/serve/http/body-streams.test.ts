import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { openServer } from '../../../test/support/opened.ts';
import { BodyStreams } from './body-streams.ts';

const PIECE = Buffer.alloc(64 * 1024, 'x');

/** Starts a server that streams the results of `pieces` and counts the ended responses. */
async function serveStream(pieces: () => AsyncIterable<Buffer>) {
  const streams = new BodyStreams();
  let ended = 0;
  const port = await openServer((_req, res) => {
    streams.send(res, pieces()).then(() => ended++);
  });
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, agent: false }, resolve).on('error', reject).end();
    });
  return { streams, open, ended: () => ended };
}

async function* some(count: number) {
  for (let at = 0; at < count; at++) yield PIECE;
}

test('a streamed response is aborted when its source fails', async () => {
  const { open, streams, ended } = await serveStream(async function* () {
    yield* some(3);
    throw new Error('no');
  });
  await expect((await open()).toArray()).rejects.toThrow('aborted');
  await until(() => ended() === 1 && streams.active === 0);
});

test('a stream above the limit is refused with 503, and with a cause for the access log', () => {
  const refusal = { status: 503, rejectedBy: 'body_streams' };
  expect(() => new BodyStreams({ max: 0 }).requireRoom()).toThrow(expect.objectContaining(refusal));
});

test('a streamed response leaves the connection usable for a request that takes longer than a client may stall', async () => {
  const streams = new BodyStreams({ stallMs: 200 });
  const port = await openServer(async (req, res) => {
    if (req.url === '/stream') return void streams.send(res, some(3));
    await sleep(400);
    res.end();
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  own(() => agent.destroy());
  const read = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ port, path, agent }, (res) =>
        res.resume().on('end', () => resolve(sent.socket?.localPort)),
      );
      sent.on('error', reject).end();
    });
  expect(await read('/slow')).toBe(await read('/stream'));
  expect(await read('/slow')).toBe(await read('/slow'));
});
