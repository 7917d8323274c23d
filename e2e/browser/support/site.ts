import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Account } from '../../harness/accounts.ts';
import { Api } from '../../harness/api.ts';
import type { LocalFleetOptions } from '../../harness/local-fleet.ts';
import { CONTROLS_PROCESSES } from '../../harness/system.ts';
import { openChromium, prepareChromium } from './chromium.ts';
import { type Allowed, collectProblems } from './page-problems.ts';
import { withPages } from './web-root.ts';

const OPEN_TIMEOUT_MS = 180_000;
/** Of single actions and waits in a page. */
const ACTION_TIMEOUT_MS = 20_000;
const HEIGHT = 800;

interface ContextOptions {
  /** Who is signed in. Default: nobody. */
  as?: 'admin' | Account;
  /** Default `light`. */
  scheme?: 'light' | 'dark';
  /** In CSS pixels, default 1280. */
  width?: number;
}

interface TabOptions extends ContextOptions {
  /** Problems that the test provokes. */
  allow?: Allowed;
  /** Opens the tab beside others, with their cookies, scheme and size. */
  context?: BrowserContext;
}

/** A tab that the tests of a file use one after the other: a new one takes three times as long (measured). */
interface SharedTab {
  /** What it was opened with, as JSON. */
  kind: string;
  page: Page;
  allowed: Pick<RegExp, 'test'>[];
  isTaken: boolean;
}

/** The pages of the system under test in a browser, the problems that they had, and its API. */
export class Site {
  readonly api = new Api();
  /** Such as `http://127.0.0.1:8080`. */
  origin = '';
  /** Other files delete their agents while a page reads the names of all. */
  readonly #agentOfOthers = {
    test: (problem: string) => {
      const id = /404 .*\/agents\/([\da-f-]{36})\)$/.exec(problem)?.[1];
      return id !== undefined && !this.api.hasMade(id);
    },
  };
  #browser: Browser | undefined;
  #adminCookie: Promise<string> | undefined;
  #problems: string[][] = [];
  readonly #contexts = new Set<BrowserContext>();
  #sharedTabs: SharedTab[] = [];

  /** Without options: the fleet that the files of this run share. */
  async open(chromium: string, options?: LocalFleetOptions): Promise<void> {
    await this.api.open(CONTROLS_PROCESSES && options ? await withPages(options) : undefined);
    this.#browser = await openChromium(chromium);
    this.origin = new URL(this.api.baseUrl).origin;
  }

  /** Cookies and storage of its own, as another person's browser. */
  async newContext({ as, scheme = 'light', width = 1280 }: ContextOptions = {}): Promise<BrowserContext> {
    if (!this.#browser) throw new Error('The browser is not open');
    const context = await this.#browser.newContext({
      baseURL: this.origin,
      colorScheme: scheme,
      viewport: { width, height: HEIGHT },
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    this.#contexts.add(context);
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    if (as !== undefined) await this.#signIn(context, as);
    return context;
  }

  /** A new tab that is still empty. */
  async newPage({ allow = [], context, ...options }: TabOptions = {}): Promise<Page> {
    const own = context ?? (await this.newContext(options));
    const page = await own.newPage();
    this.#problems.push(await collectProblems(page, this.origin, [...allow, this.#agentOfOthers]));
    return page;
  }

  /** Opens a page of the site, and waits until its main content is there. The tab of a user who is named is new. */
  async visit(path: string, options: TabOptions = {}): Promise<Page> {
    const isShared = !options.context && typeof options.as !== 'object';
    const page = isShared ? await this.takeTab(options) : await this.newPage(options);
    await page.goto(path);
    await untilReady(page);
    return page;
  }

  /** An empty tab, which later tests use again. */
  async takeTab({ allow = [], ...options }: TabOptions): Promise<Page> {
    const kind = JSON.stringify(options, ['as', 'scheme', 'width']);
    const tab = this.#sharedTabs.find((one) => one.kind === kind && !one.isTaken) ?? (await this.#shareTab(kind));
    tab.isTaken = true;
    tab.allowed.push(...allow);
    return tab.page;
  }

  async #shareTab(kind: string): Promise<SharedTab> {
    const allowed: SharedTab['allowed'] = [];
    const allow = [{ test: (problem: string) => allowed.some((one) => one.test(problem)) }];
    const page = await this.newPage({ ...JSON.parse(kind), allow });
    this.#contexts.delete(page.context());
    const tab = { kind, page, allowed, isTaken: true };
    this.#sharedTabs.push(tab);
    return tab;
  }

  /** Closes the tabs, or empties those that are shared. Resolves with the problems that tabs had. */
  async closeTabs(): Promise<string[]> {
    const problems = this.#problems.flatMap((some) => some.splice(0));
    await Promise.all(this.#sharedTabs.filter(({ isTaken }) => isTaken).map((tab) => this.#empty(tab)));
    // The ends of requests.
    for (const some of this.#problems) some.length = 0;
    for (const context of this.#contexts) {
      // A handler may still be fetching the response of a page that the test has left.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    this.#contexts.clear();
    return problems;
  }

  /** As if it was new: nothing is left of the test. */
  async #empty(tab: SharedTab): Promise<void> {
    const { page, kind, allowed } = tab;
    const { as, scheme = 'light', width = 1280 }: ContextOptions = JSON.parse(kind);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate(clearStorage).catch(() => undefined);
    await page.goto('about:blank');
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: HEIGHT });
    if (!as) await page.context().clearCookies();
    allowed.length = 0;
    tab.isTaken = false;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.api.close();
  }

  /** Signs in without the form. */
  async #signIn(context: BrowserContext, as: 'admin' | Account): Promise<void> {
    if (as === 'admin') this.#adminCookie ??= this.#newSession(this.api.admin);
    const cookie = as === 'admin' ? await this.#adminCookie : await this.#newSession(as);
    const [name = '', value = ''] = cookie?.split('=') ?? [];
    const fixed = { httpOnly: true, secure: name.startsWith('__Host-'), sameSite: 'Strict' } as const;
    await context.addCookies([{ name, value, url: this.origin, ...fixed }]);
  }

  async #newSession(account: Pick<Account, 'email' | 'password'>): Promise<string> {
    return (await this.api.accounts.openSession(account)).cookie ?? '';
  }
}

/** Runs in the page. */
function clearStorage(): void {
  localStorage.clear();
  sessionStorage.clear();
}

/** The main content is shown, and nothing of it is a placeholder. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('main[data-ready]').waitFor();
  await page.waitForFunction(() => !document.querySelector('main [data-skeleton]'));
}

export interface DescribeOptions {
  /** How a fleet of their own starts, if they need one. */
  fleet?: () => LocalFleetOptions | Promise<LocalFleetOptions>;
  /** Runs once the fleet has started. */
  prepare?: (site: Site) => Promise<void>;
  /** Of both. */
  timeoutMs?: number;
}

/** Declares tests in a browser; they are skipped where there is no Chromium. Resolves when they are declared. */
export async function describePages(
  title: string,
  specify: (site: Site) => void,
  { fleet, prepare, timeoutMs = OPEN_TIMEOUT_MS }: DescribeOptions = {},
): Promise<void> {
  const chromium = prepareChromium();
  if ('missing' in chromium) {
    test.skip(`${title} ${chromium.missing}`, () => {});
    return;
  }
  const site = new Site();
  describe(title, () => {
    beforeAll(async () => {
      await site.open(chromium.path, await fleet?.());
      await prepare?.(site);
    }, timeoutMs);
    afterEach(async () => expect(await site.closeTabs()).toEqual([]));
    afterAll(() => site.close(), OPEN_TIMEOUT_MS);
    specify(site);
  });
}
