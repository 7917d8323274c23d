import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openChromium } from './chromium.ts';
import { type Allowed, collectProblems } from './page-problems.ts';

/** Of single actions and waits in a page. */
const ACTION_TIMEOUT_MS = 20_000;

type Scheme = 'light' | 'dark';

export interface ContextOptions {
  /** Default `light`. */
  scheme?: Scheme;
  /** In CSS pixels, default 1280. */
  width?: number;
  height?: number;
  /** Stays open after the test. */
  isKept?: boolean;
}

export interface TabOptions {
  /** Problems that the test provokes. */
  allow?: Allowed;
  /** Opens the tab beside others, with their cookies, scheme and size. */
  context?: BrowserContext;
  /** The name of a tab that all tests of a file use in turn: a new one takes three times as long (measured). */
  tab?: string;
}

/** Tabs of a browser on the pages of one origin, and the problems that they had. */
export class Tabs<Options extends ContextOptions = ContextOptions> {
  /** Such as `http://127.0.0.1:8080`. */
  origin = '';
  #browser: Browser | undefined;
  #problems: string[][] = [];
  readonly #contexts = new Set<BrowserContext>();
  readonly #keptTabs = new Map<string, Page>();

  async launch(chromium: string, origin: string): Promise<void> {
    this.#browser = await openChromium(chromium);
    this.origin = origin;
  }

  /** Cookies and storage of its own, as another person's browser. */
  async newContext(options: Partial<Options> = {}): Promise<BrowserContext> {
    if (!this.#browser) throw new Error('The browser is not open');
    const { scheme = 'light', width = 1280, height = 800, isKept = false } = options;
    const context = await this.#browser.newContext({
      baseURL: this.origin,
      colorScheme: scheme,
      viewport: { width, height },
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    if (!isKept) this.#contexts.add(context);
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    return context;
  }

  /** A new tab that is still empty. */
  async newPage({ allow = [], context, tab, ...options }: TabOptions & Partial<Options> = {}): Promise<Page> {
    const kept = tab && this.#keptTabs.get(tab);
    if (kept) return kept;
    const own = context ?? (await this.newContext({ ...(options as Partial<Options>), isKept: tab !== undefined }));
    const page = await own.newPage();
    this.#problems.push(await collectProblems(page, this.origin, allow));
    if (tab !== undefined) this.#keptTabs.set(tab, page);
    return page;
  }

  /** Opens a page of the site, and waits until its main content is there. */
  async visit(path: string, options?: TabOptions & Partial<Options>): Promise<Page> {
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
  }
}

/** The main content is shown, and nothing of it is a placeholder. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('main[data-ready]').waitFor();
  await page.waitForFunction(() => !document.querySelector('main [data-skeleton]'));
}
