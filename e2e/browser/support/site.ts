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

interface ContextOptions {
  /** Who is signed in. Default: nobody. */
  as?: 'admin' | Account;
  /** Default `light`. */
  scheme?: 'light' | 'dark';
  /** In CSS pixels, default 1280. */
  width?: number;
  /** Stays open after the test. */
  isKept?: boolean;
}

interface TabOptions extends ContextOptions {
  /** Problems that the test provokes. */
  allow?: Allowed;
  /** Opens the tab beside others, with their cookies, scheme and size. */
  context?: BrowserContext;
  /** The name of a tab that all tests of a file use in turn: a new one takes three times as long (measured). */
  tab?: string;
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
  readonly #keptTabs = new Map<string, Page>();

  /** Without options: the fleet that the files of this run share. */
  async open(chromium: string, options?: LocalFleetOptions): Promise<void> {
    await this.api.open(CONTROLS_PROCESSES && options ? await withPages(options) : undefined);
    this.#browser = await openChromium(chromium);
    this.origin = new URL(this.api.baseUrl).origin;
  }

  /** Cookies and storage of its own, as another person's browser. */
  async newContext({ as, scheme = 'light', width = 1280, isKept }: ContextOptions = {}): Promise<BrowserContext> {
    if (!this.#browser) throw new Error('The browser is not open');
    const context = await this.#browser.newContext({
      baseURL: this.origin,
      colorScheme: scheme,
      viewport: { width, height: 800 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    if (!isKept) this.#contexts.add(context);
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    if (as !== undefined) await this.#signIn(context, as);
    return context;
  }

  /** A new tab that is still empty. */
  async newPage({ allow = [], context, tab, ...options }: TabOptions = {}): Promise<Page> {
    const kept = tab && this.#keptTabs.get(tab);
    if (kept) return kept;
    const own = context ?? (await this.newContext({ ...options, isKept: tab !== undefined }));
    const page = await own.newPage();
    this.#problems.push(await collectProblems(page, this.origin, [...allow, this.#agentOfOthers]));
    if (tab !== undefined) this.#keptTabs.set(tab, page);
    return page;
  }

  /** Opens a page of the site, and waits until its main content is there. */
  async visit(path: string, options?: TabOptions): Promise<Page> {
    const page = await this.newPage(options);
    await page.goto(path);
    await untilReady(page);
    return page;
  }

  /** Closes the tabs that are not kept. Resolves with the problems that tabs had. */
  async closeTabs(): Promise<string[]> {
    const problems = this.#problems.flatMap((some) => some.splice(0));
    for (const context of this.#contexts) await context.close();
    this.#contexts.clear();
    return problems;
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
