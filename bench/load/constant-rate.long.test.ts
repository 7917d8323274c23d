import type { RequestListener } from 'node:http';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';
import { type ConstantFigures, type ConstantLoad, loadConstantly } from './constant-rate.ts';

const STALL_MS = 800;

async function loadServer(listener: RequestListener, load: Partial<ConstantLoad>): Promise<ConstantFigures> {
  const port = Number(new URL(await serveUntilEnd(listener)).port);
  const common = { port, request: { path: '/' }, perSecond: 200, connections: 8, seconds: 6, warmUpSeconds: 0 };
  const stage = { dir: ownFolder(), signal: AbortSignal.timeout(90_000) };
  return loadConstantly(stage, { ...common, whenBusy: 'wait', ...load });
}

const respond = (status: number): RequestListener => {
  return (_req, res) => res.writeHead(status, { 'content-length': 2 }).end('ok');
};

/** Sends no response between the first request and `STALL_MS` later. */
function stallOnce(): RequestListener {
  let stallEnd: Promise<void> | undefined;
  return (req, res) => {
    stallEnd ??= new Promise((resolve) => setTimeout(resolve, STALL_MS));
    void stallEnd.then(() => respond(200)(req, res));
  };
}

test('sends requests at the rate and counts responses by status', async () => {
  let count = 0;
  const figures = await loadServer((req, res) => respond(count++ % 4 === 0 ? 503 : 200)(req, res), {});
  expect(figures.due).toBeGreaterThan(600);
  expect(figures.due).toBeLessThanOrEqual(1_201);
  expect(figures.ok / figures.refused).toBeCloseTo(3, 0);
  expect(figures.failed).toBe(0);
});

// With two connections, only two of 1,200 requests would be slow if times counted from sending.
test('counts the time of a request from when it was due or drops it, while the server stalls', async () => {
  const waiting = await loadServer(stallOnce(), { connections: 2 });
  expect(waiting.ok).toBeGreaterThan(0.8 * waiting.due);
  expect(waiting.p99Ms).toBeGreaterThan(0.8 * STALL_MS);
  const dropping = await loadServer(stallOnce(), { connections: 2, whenBusy: 'drop' });
  expect(dropping.due - dropping.sent).toBeGreaterThan(100);
  expect(dropping.ok).toBeGreaterThan(0);
});

test('counts a request as failed when its connection breaks, and opens another connection', async () => {
  let count = 0;
  const listener: RequestListener = (req, res) => (count++ % 10 ? respond(200)(req, res) : req.socket.destroy());
  const figures = await loadServer(listener, {});
  expect(figures.failed).toBeGreaterThan(8);
  expect(figures.ok).toBeGreaterThan(figures.failed);
});
