import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../harness/http-client.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { untilLive } from './support/actions.ts';
import { runBulkAction } from './support/large-fleet.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

const MINUTES = Number(process.env.E2E_FLOOD_MINUTES || 3);
const PATHS = ['/console', '/console/tasks'];
const MINUTE_MS = 60_000;
const EVENTS_PER_SECOND = 1_000;
/** Each task has three: it is created, cancelled and deleted. */
const EVENTS_PER_TASK = 3;
const BATCH = 250;
const PRODUCERS = 4;
const LONGEST_TASK_MS = 200;
const HEAP_GROWTH = 1.1;
const HEAP_SAMPLES = 10;
const SAMPLE_PAUSE_MS = 200;
/** Of the frame times; a few milliseconds are noise. */
const FRAME_GROWTH = 1.5;
const FRAME_NOISE_MS = 10;
const MAX_ROWS = 500;
const ROWS = 'main :is([data-row], tr, li)';

if (!CONTROLS_PROCESSES) logOmittedTests('floods of events');
else await describePages(`${MINUTES} minutes of 1,000 events a second`, specify, { fleet: () => ({}) });

function specify(site: Site): void {
  test(
    `leave the pages ${PATHS.join(' and ')} quick, and their memory flat`,
    async () => {
      // The list is full at all times.
      await site.api.createTasks((await site.api.createAgent()).id, BATCH);
      const pages = [];
      for (const path of PATHS) pages.push(await openPage(site, path));
      const idle = await (await site.newContext()).newPage();
      await idle.evaluate(noteDelays);
      const flood = startFlood(site);
      const minutes: Minute[][] = [];
      try {
        for (let minute = 1; minute <= MINUTES; minute++) minutes.push(await watchMinute(pages, idle));
      } finally {
        const events = await flood.stop();
        console.info(`${events.toFixed(0)} events a second; ${JSON.stringify(minutes)}`);
        expect(events).toBeGreaterThan(EVENTS_PER_SECOND * 0.9);
      }
      for (const at of PATHS.keys()) expectFlat(minutes.map((minute) => minute[at] as Minute));
      for (const page of pages) await untilLive(page);
    },
    (MINUTES + 3) * MINUTE_MS,
  );
}

/** In a window of its own: the browser draws only one tab of a window. */
async function openPage(site: Site, path: string): Promise<Page> {
  const page = await site.newPage({ as: 'admin' });
  await page.addInitScript(noteTasksAndFrames);
  await page.goto(path);
  await untilLive(page);
  await untilReady(page);
  return page;
}

interface Minute {
  heapBytes: number;
  /** Without the longest time that the machine has let an idle page wait for a processor. */
  longestTaskMs: number;
  /** 95 of 100 frames came within this time after the one before. */
  frameMs: number;
  rows: number;
}

function expectFlat(minutes: readonly Minute[]): void {
  const [first, last] = [minutes[0] as Minute, minutes.at(-1) as Minute];
  expect(Math.max(...minutes.map(({ longestTaskMs }) => longestTaskMs))).toBeLessThanOrEqual(LONGEST_TASK_MS);
  expect(last.heapBytes).toBeLessThan(first.heapBytes * HEAP_GROWTH);
  expect(last.frameMs).toBeLessThanOrEqual(first.frameMs * FRAME_GROWTH + FRAME_NOISE_MS);
  expect(Math.max(...minutes.map(({ rows }) => rows))).toBeLessThanOrEqual(MAX_ROWS);
}

/** Creates, cancels and deletes tasks, which are real events, until it is stopped. */
function startFlood({ api }: Site) {
  const abort = new AbortController();
  const began = Date.now();
  let tasks = 0;
  async function produce(): Promise<void> {
    const { id } = await api.createAgent({ name: 'Flooded' });
    while (!abort.signal.aborted) {
      tasks += BATCH;
      const dueMs = (tasks * EVENTS_PER_TASK * 1_000) / EVENTS_PER_SECOND;
      await sleep(Math.max(0, began + dueMs - Date.now()));
      const body = { tasks: Array(BATCH).fill({ message: 'One of very many tasks' }) };
      expectStatus(await api.call('POST', `/agents/${id}/task-batches`, { body }), 201);
      for (const action of ['cancel', 'delete']) await runBulkAction(api, { action, filter: { agent_id: id } });
    }
  }
  const producing = Promise.all(Array.from({ length: PRODUCERS }, produce));
  // Awaited when it is stopped.
  producing.catch(() => undefined);
  return {
    /** @returns events a second */
    async stop(): Promise<number> {
      abort.abort();
      await producing;
      return (tasks * EVENTS_PER_TASK * 1_000) / (Date.now() - began);
    },
  };
}

interface Noted {
  longestTaskMs: number;
  frames: number[];
}

/** Runs in the page. */
function noteTasksAndFrames(): void {
  const noted: Noted = { longestTaskMs: 0, frames: [] };
  Object.assign(window, { noted });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.longestTaskMs = Math.max(noted.longestTaskMs, duration);
  }).observe({ entryTypes: ['longtask'] });
  let before = performance.now();
  const onFrame = (now: number) => {
    noted.frames.push(now - before);
    before = now;
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
}

async function watchMinute(pages: readonly Page[], idle: Page): Promise<Minute[]> {
  for (const page of [...pages, idle]) await page.evaluate(takeNoted);
  await sleep(MINUTE_MS);
  const { longestTaskMs: delayMs } = await idle.evaluate(takeNoted);
  return Promise.all(
    pages.map(async (page) => {
      const { frames, longestTaskMs } = await page.evaluate(takeNoted);
      const frameMs = frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.POSITIVE_INFINITY;
      const rows = await page.locator(ROWS).count();
      return { longestTaskMs: longestTaskMs - delayMs, frameMs, heapBytes: await measureHeap(page), rows };
    }),
  );
}

/** Runs in a page that does nothing else. */
function noteDelays(): void {
  const noted: Noted = { longestTaskMs: 0, frames: [] };
  Object.assign(window, { noted });
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    noted.longestTaskMs = Math.max(noted.longestTaskMs, now - before);
    before = now;
  }, 5);
}

/** Runs in the page. */
function takeNoted(): Noted {
  const { noted } = window as unknown as { noted: Noted };
  const taken = { ...noted };
  Object.assign(noted, { longestTaskMs: 0, frames: [] });
  return taken;
}

/** @returns bytes: the least of several, which holds what stays and little of what is at work */
async function measureHeap(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  const sizes: number[] = [];
  for (let sample = 0; sample < HEAP_SAMPLES; sample++) {
    await sleep(SAMPLE_PAUSE_MS);
    await devTools.send('HeapProfiler.collectGarbage');
    sizes.push((await devTools.send('Runtime.getHeapUsage')).usedSize);
  }
  await devTools.detach();
  return Math.min(...sizes);
}
