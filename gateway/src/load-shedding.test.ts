import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { createLogger } from '@agent-fleet/shared/logger';
import { type RunningServer, serve } from '@agent-fleet/shared/serve';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createShareControl, type LoadShedding, shedLoad } from './load-shedding.ts';

const TARGET_MS = 30;
let server: RunningServer | undefined;
let shedding: LoadShedding | undefined;
afterEach(async () => {
  shedding?.close();
  await server?.close();
  server = undefined;
});

async function start() {
  const lines: string[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => lines.push(line) });
  const registry = new Registry();
  shedding = shedLoad({ logger, registry, targetMs: TARGET_MS, minArrivals: 0 });
  const app = createHttpApp(shedding.handler);
  app.use((_req, res) => {
    res.json({});
  });
  const running = await serve(finishApp(app, logger), {
    host: '127.0.0.1',
    port: 0,
    lifecycle: { stopping: false },
    drainSeconds: 0,
  });
  server = running;
  const ask = (path: string) => fetch(`http://127.0.0.1:${running.port}${path}`);
  return { ask, lines, metrics: () => registry.metrics() };
}

/** Work that keeps the event loop from anything else, a piece at a time. */
async function overload(pieces: number, pieceMs = 120): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    for (const until = performance.now() + pieceMs; performance.now() < until; );
    await sleep(1);
  }
}

test('a late event loop has a part of the requests refused at once, and never a probe', async () => {
  const { ask, lines, metrics } = await start();
  await overload(12);
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/agents')));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(5);
  expect(refused.length).toBeLessThan(40);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(refused[0]?.headers.get('x-request-id')).not.toBeNull();
  expect(await refused[0]?.json()).toMatchObject({ error: 'overloaded' });
  for (const path of ['/health', '/ready', '/ready?x']) {
    const probes = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
  }
  expect(await metrics()).toContain(`gateway_shed_total ${refused.length}\n`);
  const reported = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'load is shed');
  const total = () => reported().reduce((sum, { requests }) => sum + requests, 0);
  while (total() < refused.length) await sleep(20);
  expect(total()).toBe(refused.length);
  expect(lines.length).toBeLessThan(4);
});

test('nothing is refused once the event loop is in time again', async () => {
  const { ask, metrics } = await start();
  await overload(6);
  expect(await metrics()).not.toContain('gateway_shed_share 0\n');
  while (!(await metrics()).includes('gateway_shed_share 0\n')) await sleep(50);
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/agents')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

describe('the share that is refused', () => {
  test('is nothing after a single pause', () => {
    const control = createShareControl(100, 10);
    for (const delayMs of [0, 900, 0, 900, 0]) control.sample(delayMs, 10);
    expect(control.share).toBe(0);
  });

  test('is nothing while few requests come: the process is late for another reason', () => {
    const control = createShareControl(100, 10);
    for (let samples = 0; samples < 20; samples++) control.sample(500, 9);
    expect(control.share).toBe(0);
  });

  test('grows while the delay is above the target, never to all, and shrinks more slowly', () => {
    const control = createShareControl(100, 10);
    const shares = [150, 150, 150, 90, 90].map((delayMs) => {
      control.sample(delayMs, 10);
      return control.share;
    });
    expect(shares.map((share) => share.toFixed(2))).toEqual(['0.00', '0.05', '0.10', '0.09', '0.08']);
    for (let samples = 0; samples < 100; samples++) control.sample(500, 10);
    expect(control.share).toBeLessThan(1);
    for (let samples = 0; samples < 100; samples++) control.sample(0, 0);
    expect(control.share).toBe(0);
  });
});
