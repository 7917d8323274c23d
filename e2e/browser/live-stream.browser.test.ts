import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import type { Agent } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { createLivePage, LIVE_PAGE, readLive, type SeenLive } from './support/live-page.ts';
import { describePages, type Site } from './support/site.ts';
import { StreamProxy } from './support/stream-proxy.ts';

/** What the browser logs when a connection breaks or is refused. */
const BROKEN = [/ERR_(INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION|FAILED)/, /status of 5\d\d/];

const isStream = (url: URL) => url.pathname === '/events';

const GO_ONLINE = `dispatchEvent(new Event('online'))`;

let proxy: StreamProxy;
afterAll(() => proxy?.close());

await describePages('The live events of a page:', specify, {
  fleet: () => ({ env: { gateway: { WEB_ROOT: '' } } }),
  async prepare(site) {
    proxy = new StreamProxy(site.api.baseUrl, await createLivePage());
    site.origin = await proxy.listen();
  },
});

function specify(site: Site): void {
  let context: BrowserContext;
  let agent: Agent;
  beforeEach(async () => {
    context = await site.newContext({ as: 'admin' });
    agent = await site.api.createAgent();
    proxy.streams.splice(0);
    proxy.refuseWith = undefined;
  });

  async function openTab(allow: readonly RegExp[] = []): Promise<Page> {
    const page = await site.newPage({ context, allow });
    await page.goto(LIVE_PAGE);
    await untilLive(page);
    return page;
  }

  async function openTabs(count: number, allow?: readonly RegExp[]): Promise<Page[]> {
    const pages: Page[] = [];
    for (let at = 0; at < count; at++) pages.push(await openTab(allow));
    return pages;
  }

  const createTasks = (count: number) => site.api.createTasks(agent.id, count);

  /** The ids of the events of the agent's tasks that a page has seen. */
  const createdIn = async (page: Page) => {
    const { events } = await readLive(page);
    return events.filter(([, type, id]) => type === 'task.created' && id === agent.id).map(([id]) => id);
  };

  /** Each page has seen the same events, as many as there are tasks, each once and in order. */
  async function expectAll(pages: readonly Page[], count: number): Promise<void> {
    for (const page of pages) {
      const ids = await until(() => createdIn(page), {
        message: `the page has seen ${count} events`,
        holds: ({ length }) => length >= count,
      });
      expect(ids).toHaveLength(count);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    }
  }

  test('each visible tab has a stream, and sees every event once', async () => {
    const pages = await openTabs(3);
    await createTasks(200);
    await createTasks(1);
    await expectAll(pages, 201);
    expect(proxy.streams).toHaveLength(3);
    expect((await Promise.all(pages.map(readLive))).map(({ resyncs }) => resyncs)).toEqual([1, 1, 1]);
  });

  test('a hidden tab has no stream, and catches up when it is visible', async () => {
    const page = await openTab();
    await createTasks(2);
    await expectAll([page], 2);
    await setHidden(page, true);
    await until(() => proxy.openStreams.length === 0, { message: 'its stream is closed' });
    await createTasks(3);
    await setHidden(page, false);
    await expectAll([page], 5);
    expect(await readLive(page)).toMatchObject({ resyncs: 1, state: 'live' });
    expect(proxy.openStreams).toHaveLength(1);
  });

  test('a tab that was hidden for long reads its lists anew', async () => {
    const page = await openTab();
    await createTasks(1);
    await expectAll([page], 1);
    await setHidden(page, true);
    await createTasks(3);
    await setClockForward(page, 200_000);
    await setHidden(page, false);
    await until(async () => (await readLive(page)).resyncs === 2, { message: 'lists are read anew' });
    await createTasks(1);
    await expectAll([page], 2);
  });

  test('a refused stream is asked for again and again until it opens', async () => {
    const page = await openTab(BROKEN);
    await createTasks(1);
    await expectAll([page], 1);
    proxy.refuseWith = 503;
    await page.evaluate(GO_ONLINE);
    await untilEvery([page], ({ state }) => state === 'reconnecting');
    await createTasks(3);
    await until(() => proxy.streams.length >= 4, { message: 'it was asked for twice more' });
    const openedAt = proxy.streams.slice(1).map((stream) => stream.openedAt) as [number, number, number];
    expect(openedAt[1] - openedAt[0]).toBeGreaterThan(900);
    expect(openedAt[2] - openedAt[1]).toBeGreaterThan(900);
    proxy.refuseWith = undefined;
    await page.evaluate(GO_ONLINE);
    await expectAll([page], 4);
    await untilLive(page);
  });

  test('lists are read anew when the fleet no longer has the events after the last one', async () => {
    const page = await openTab();
    await createTasks(5);
    await expectAll([page], 5);
    const lose = (route: Route) =>
      route.continue({ headers: { ...route.request().headers(), 'last-event-id': `${Number.MAX_SAFE_INTEGER}` } });
    await page.route(isStream, lose, { times: 1 });
    await page.evaluate(GO_ONLINE);
    await untilEvery([page], ({ resyncs, state }) => resyncs === 2 && state === 'live');
    await createTasks(5);
    await expectAll([page], 10);
  });

  test('an event that cannot be read is reported and passed over', async () => {
    const page = await openTab([/an event is too large/]);
    await createTasks(1);
    await expectAll([page], 1);
    const reported = page.waitForEvent('pageerror');
    const flood = { contentType: 'text/event-stream', body: `data: ${'x'.repeat(5_000_000)}` };
    await page.route(isStream, (route) => route.fulfill(flood), { times: 1 });
    await page.evaluate(GO_ONLINE);
    expect((await reported).message).toBe('an event is too large');
    await untilEvery([page], ({ resyncs, state }) => resyncs === 2 && state === 'live');
    await createTasks(1);
    await expectAll([page], 2);
  });

  test('a connection that is dead without an error is found and replaced', async () => {
    const page = await site.newPage({ context });
    await page.clock.install();
    await page.goto(LIVE_PAGE);
    await untilLive(page);
    await createTasks(1);
    await expectAll([page], 1);
    proxy.stickStreams();
    await createTasks(3);
    expect(await createdIn(page)).toHaveLength(1);
    await page.clock.fastForward(41_000);
    await expectAll([page], 4);
    expect((await readLive(page)).resyncs).toBe(1);
  });

  test('lists are read anew, and old events not sent again, after a long sleep', async () => {
    const page = await openTab();
    await createTasks(1);
    await expectAll([page], 1);
    proxy.stickStreams();
    await createTasks(3);
    await setClockForward(page, 3_600_000);
    await page.evaluate(GO_ONLINE);
    await until(async () => (await readLive(page)).resyncs === 2, { message: 'lists are read anew' });
    await createTasks(1);
    await expectAll([page], 2);
  });

  if (!CONTROLS_PROCESSES) {
    logOmittedTests('live events while a gateway is killed');
    return;
  }

  test('a killed gateway is seen as reconnecting, and nothing is missed once it is back', async () => {
    const pages = await openTabs(2, BROKEN);
    await createTasks(2);
    await expectAll(pages, 2);
    const { gateway } = site.api.fleet.services;
    await gateway.kill();
    await untilEvery(pages, ({ state }) => state === 'reconnecting');
    await gateway.start();
    await site.api.fleet.untilReady();
    await createTasks(50);
    await expectAll(pages, 52);
    await untilEvery(pages, ({ state, resyncs }) => state === 'live' && resyncs === 1);
    expect(proxy.openStreams).toHaveLength(2);
  });
}

async function untilEvery(pages: readonly Page[], holds: (seen: SeenLive) => boolean): Promise<void> {
  for (const page of pages) await until(() => readLive(page), { message: 'the page has noticed', holds });
}

async function untilLive(page: Page): Promise<void> {
  // A page that is live reads its lists anew in its next frame.
  await page.waitForFunction(`globalThis.livePage?.live.state.value === 'live' && livePage.live.resyncs.value > 0`);
}

/** Only what a page reads as the time changes: timers go on as before. */
async function setClockForward(page: Page, ms: number): Promise<void> {
  await page.evaluate(`{ const now = Date.now; Date.now = () => now() + ${ms}; }`);
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}
