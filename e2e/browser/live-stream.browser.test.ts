import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import type { Agent } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { LIVE_PAGE, readLive, type SeenLive, serveLivePage } from './support/live-page.ts';
import { describePages, type Site } from './support/site.ts';
import { StreamProxy } from './support/stream-proxy.ts';

/** What the browser logs when a connection breaks or is refused. */
const BROKEN = [/ERR_(INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION|FAILED)/, /status of 5\d\d/];
const TAKEOVER_MS = 1_000;

let proxy: StreamProxy;
afterAll(() => proxy?.close());

await describePages('The live events of a page:', specify, {
  fleet: () => ({ env: { gateway: { WEB_ROOT: '' } } }),
  async prepare(site) {
    proxy = new StreamProxy(site.api.baseUrl, serveLivePage);
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

  /** Creates tasks, one after the other, until `body` has ended. Returns how many. */
  async function whileTasksAreCreated(body: () => Promise<void>): Promise<number> {
    let isOver = false;
    let count = 0;
    const creating = (async () => {
      for (; !isOver; count++) await site.api.createTask(agent.id);
    })();
    await sleep(300);
    await body().finally(() => {
      isOver = true;
    });
    await creating;
    return count;
  }

  async function expectTakeover(pages: Page[], end: (leader: Page) => Promise<unknown>): Promise<void> {
    const [leader, ...others] = pages as [Page, ...Page[]];
    expect((await readLive(leader)).isLeader).toBe(true);
    const before = await Promise.all(others.map(readLive));
    const count = await whileTasksAreCreated(async () => {
      await end(leader);
      await until(() => proxy.streams.length === 2, { message: 'another tab has opened the stream' });
      await sleep(500);
    });
    await expectAll(others, count);
    const [first, second] = proxy.streams;
    expect(Number(second?.openedAt) - Number(first?.closedAt)).toBeLessThan(TAKEOVER_MS);
    expect(proxy.openStreams).toHaveLength(1);
    const after = await Promise.all(others.map(readLive));
    expect(after.map(({ resyncs, state }) => [resyncs, state])).toEqual(before.map(({ resyncs }) => [resyncs, 'live']));
  }

  test('ten tabs share one stream, and each sees every event once', async () => {
    const pages = await openTabs(10);
    await createTasks(200);
    await createTasks(1);
    await expectAll(pages, 201);
    expect(proxy.streams).toHaveLength(1);
    expect((await Promise.all(pages.map(readLive))).map(({ resyncs }) => resyncs)).toEqual(Array(10).fill(1));
  });

  test('a tab that joins in the middle of events reads its lists anew', async () => {
    await openTab();
    let joined: Page | undefined;
    await whileTasksAreCreated(async () => {
      joined = await openTab();
    });
    expect(await readLive(joined as Page)).toMatchObject({ isLeader: false, resyncs: 1 });
  });

  test('another tab takes over within a second when the leader is closed, without a gap', async () => {
    await expectTakeover(await openTabs(3), (leader) => leader.close());
  });

  test('another tab takes over within a second when the leader goes to another page, without a gap', async () => {
    await expectTakeover(await openTabs(3), (leader) => leader.goto('about:blank'));
  });

  test('another tab takes over within a second when the leader crashes, without a gap', async () => {
    await expectTakeover(await openTabs(3, [/the page crashed/]), async (leader) => {
      const devTools = await context.newCDPSession(leader);
      const crashed = leader.waitForEvent('crash');
      void devTools.send('Page.crash').catch(() => undefined);
      await crashed;
    });
  });

  test('a visible tab takes the lead from one that hangs', async () => {
    const [leader, other] = (await openTabs(2)) as [Page, Page];
    await createTasks(1);
    await expectAll([other], 1);
    const begun = leader.waitForEvent('console');
    const hanging = leader.evaluate(
      "{ console.info('hangs'); const end = Date.now() + 8_000; while (Date.now() < end); }",
    );
    await begun;
    await createTasks(10);
    await other.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await expectAll([other], 11);
    await until(() => proxy.streams.length === 2, { message: 'the visible tab has opened a stream' });
    await hanging;
    await until(() => proxy.openStreams.length === 1, { message: 'the former leader has closed its stream' });
    await createTasks(1);
    await expectAll([leader, other], 12);
    expect((await readLive(leader)).isLeader).toBe(false);
  });

  test('a refused stream is asked for again and again, ever more rarely, until it opens', async () => {
    const pages = await openTabs(2, BROKEN);
    await createTasks(1);
    await expectAll(pages, 1);
    proxy.refuseWith = 503;
    await pages[0]?.evaluate(`dispatchEvent(new Event('online'))`);
    await untilEvery(pages, ({ state }) => state === 'reconnecting');
    await createTasks(3);
    await until(() => proxy.streams.length >= 4, { message: 'it was asked for twice more' });
    const [second, third, fourth] = proxy.streams.slice(1).map(({ openedAt }) => openedAt) as [number, number, number];
    expect(third - second).toBeGreaterThan(900);
    expect(fourth - third).toBeGreaterThan(1_900);
    proxy.refuseWith = undefined;
    await pages[0]?.evaluate(`dispatchEvent(new Event('online'))`);
    await expectAll(pages, 4);
    for (const page of pages) await untilLive(page);
  });

  test('lists are read anew when the fleet no longer has the events after the last one', async () => {
    const pages = (await openTabs(2)) as [Page, Page];
    await createTasks(5);
    await expectAll(pages, 5);
    await pages[0].evaluate(`livePage.nextStream = '/events?after=${Number.MAX_SAFE_INTEGER}'`);
    await pages[0].evaluate(`dispatchEvent(new Event('online'))`);
    await untilEvery(pages, ({ resyncs, state }) => resyncs === 2 && state === 'live');
    expect(proxy.streams.at(-1)?.url).toBe('/events');
    await createTasks(5);
    await expectAll(pages, 10);
  });

  test('a connection that is dead without an error is found and replaced', async () => {
    const page = await openTab();
    await createTasks(1);
    await expectAll([page], 1);
    proxy.stickStreams();
    await createTasks(3);
    expect(await createdIn(page)).toHaveLength(1);
    await setClockForward(page, 40_000);
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
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await until(async () => (await readLive(page)).resyncs === 2, { message: 'lists are read anew' });
    expect(proxy.streams.at(-1)?.url).toBe('/events');
    await createTasks(1);
    await expectAll([page], 2);
  });

  test('the end of the session stops the stream and tells all tabs', async () => {
    const account = await site.api.accounts.create('viewer');
    context = await site.newContext({ as: account });
    const pages = await openTabs(3);
    const sessions = await site.api.get(`/sessions?user_id=${account.id}`);
    const [session] = sessions.json as { id: string }[];
    await site.api.call('DELETE', `/sessions/${session?.id}`);
    for (const page of pages) {
      const seen = await until(() => readLive(page), {
        message: 'the tab knows',
        holds: ({ ended }) => Boolean(ended),
      });
      expect([seen.ended, seen.state]).toEqual(['expired', 'off']);
    }
    await sleep(1_000);
    expect(proxy.streams).toHaveLength(1);
  });

  test('a sign-out in one tab stops all others', async () => {
    const pages = (await openTabs(3)) as [Page, Page, Page];
    await pages[1].evaluate('livePage.live.announceSignOut(); livePage.live.stop()');
    await untilEvery([pages[0], pages[2]], ({ ended, state }) => ended === 'signed-out' && state === 'off');
    expect((await readLive(pages[1])).ended).toBeUndefined();
    await until(() => proxy.openStreams.length === 0, { message: 'the stream is closed' });
    for (const page of pages) await page.evaluate('livePage.start()');
    for (const page of pages) await untilLive(page);
    expect(proxy.openStreams).toHaveLength(1);
  });

  test('a tab that the browser freezes leaves the stream to others, and goes on afterwards', async () => {
    const [frozen, other] = (await openTabs(2)) as [Page, Page];
    await createTasks(1);
    await expectAll([frozen, other], 1);
    await frozen.evaluate(`document.dispatchEvent(new Event('freeze'))`);
    await createTasks(2);
    await expectAll([other], 3);
    await frozen.evaluate(`document.dispatchEvent(new Event('resume'))`);
    await until(async () => (await readLive(frozen)).resyncs === 2, { message: 'it knows that it has missed events' });
    await createTasks(1);
    await expectAll([other], 4);
    await until(async () => (await createdIn(frozen)).length === 2, { message: 'it sees new events' });
  });

  test('without Web Locks each tab has a stream of its own while it is visible', async () => {
    await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`);
    const pages = (await openTabs(2)) as [Page, Page];
    expect(proxy.openStreams).toHaveLength(2);
    await createTasks(2);
    await expectAll(pages, 2);
    await setHidden(pages[0], true);
    await until(() => proxy.openStreams.length === 1, { message: 'its stream is closed' });
    await createTasks(3);
    await setHidden(pages[0], false);
    await expectAll(pages, 5);
    expect((await readLive(pages[0])).resyncs).toBe(1);
    await pages[1].evaluate('livePage.live.announceSignOut()');
    await until(() => proxy.openStreams.length <= 1, { message: 'the other stream is closed' });
  });

  if (!CONTROLS_PROCESSES) {
    logOmittedTests('live events while a gateway is killed');
    return;
  }

  test('a killed gateway is seen as reconnecting, and nothing is missed once it is back', async () => {
    const pages = await openTabs(3, BROKEN);
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
    expect(proxy.openStreams).toHaveLength(1);
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
