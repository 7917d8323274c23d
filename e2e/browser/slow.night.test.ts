import { afterAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { createManyTasks, type LargeSource, startLargeSource, untilSkillsAreServed } from './support/large-fleet.ts';
import { PAGES, type PageCase } from './support/page-list.ts';
import { type Seed, seedFleet } from './support/seed.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

/** A slow connection: 562 ms from a request to its answer, 1.5 Mbit/s, and a quarter of this machine's speed. */
const BYTES_PER_SECOND = 1_500_000 / 8;
const NETWORK = {
  offline: false,
  latency: 562,
  downloadThroughput: BYTES_PER_SECOND,
  uploadThroughput: BYTES_PER_SECOND,
};
const CPU_SLOWDOWN = 4;
const PAINTED_MS = 1_000;
const READY_MS = 2_000;
/** The best one counts: other processes of the machine only make a page slower. */
const RUNS = 5;
const PREPARE_TIMEOUT_MS = 900_000;

let source: LargeSource | undefined;
let seed: Seed;
afterAll(() => source?.close());

if (!CONTROLS_PROCESSES) logOmittedTests('pages on a slow connection');
else
  await describePages('On a slow connection, with 100,000 tasks and 161,475 skills,', specify, {
    timeoutMs: PREPARE_TIMEOUT_MS,
    async fleet() {
      source = await startLargeSource();
      return { env: { registry: source.env } };
    },
    async prepare({ api }) {
      await createManyTasks(api);
      await untilSkillsAreServed(api);
      seed = await seedFleet(api);
    },
  });

function specify(site: Site): void {
  describe('the first paint takes at most 1 s, and the content 2 s:', () => {
    test.each(PAGES)('$name', async (page) => {
      const { painted, ready } = await measureBest(site, page);
      console.info(`${page.name}: painted after ${painted.toFixed(0)} ms, ready after ${ready.toFixed(0)} ms`);
      expect(painted).toBeLessThanOrEqual(PAINTED_MS);
      expect(ready).toBeLessThanOrEqual(READY_MS);
    });
  });

  test('a search in the address shows its results within 2 s', async () => {
    const [{ name }] = (await site.api.get('/api/skills?limit=1')).json as [{ name: string }];
    const search = { name: 'search', path: () => `/?q=${encodeURIComponent(name)}`, heading: () => '', isPublic: true };
    expect((await measureBest(site, search)).ready).toBeLessThanOrEqual(READY_MS);
  });
}

interface Times {
  painted: number;
  ready: number;
}

async function measureBest(site: Site, page: PageCase): Promise<Times> {
  const best = { painted: Number.POSITIVE_INFINITY, ready: Number.POSITIVE_INFINITY };
  for (let run = 0; run < RUNS && (best.painted > PAINTED_MS || best.ready > READY_MS); run++) {
    const { painted, ready } = await measure(site, page);
    best.painted = Math.min(best.painted, painted);
    best.ready = Math.min(best.ready, ready);
  }
  return best;
}

/** Opens a page for the first time, in a browser whose user is signed in. */
async function measure(site: Site, { path, isPublic }: PageCase): Promise<Times> {
  const context = await site.newContext({ as: isPublic ? undefined : 'admin' });
  // The pages remember that somebody is signed in.
  if (!isPublic) await (await site.visit('/console/workers', { context })).close();
  const page = await site.newPage({ context, allow: [/\/skill\.md/] });
  const devTools = await slowDown(page);
  await devTools.send('Network.clearBrowserCache');
  await page.addInitScript(noteTimes);
  await page.goto(path(seed), { waitUntil: 'commit' });
  await untilReady(page);
  await page.waitForFunction(() => 'readyAt' in window);
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.POSITIVE_INFINITY,
    ready: (window as unknown as { readyAt: number }).readyAt,
  }));
  await context.close();
  return times;
}

async function slowDown(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  const rate = Math.max(1, CPU_SLOWDOWN / (await page.evaluate(measureContention)));
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', NETWORK);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate });
  return devTools;
}

/** How many times slower other processes make this one at present. Runs in the page. */
function measureContention(): number {
  const laps = Array.from({ length: 100 }, () => {
    const began = performance.now();
    for (let count = 0; count < 300_000; count++) Math.random();
    return performance.now() - began;
  });
  const [undisturbed] = laps.toSorted((a, b) => a - b).slice(laps.length / 20);
  return laps.reduce((sum, lap) => sum + lap) / (laps.length * (undisturbed as number));
}

/** Runs in the page: notes when the main content is there. */
function noteTimes(): void {
  const look = () => {
    const main = document.querySelector('main[data-ready]');
    if (main && !main.querySelector('[data-skeleton]')) Object.assign(window, { readyAt: performance.now() });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
