import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import type { Account } from '../../harness/accounts.ts';
import { Api } from '../../harness/api.ts';
import type { LocalFleetOptions } from '../../harness/local-fleet.ts';
import { CONTROLS_PROCESSES } from '../../harness/system.ts';
import { prepareChromium } from './chromium.ts';
import { type ContextOptions, type TabOptions, Tabs } from './tabs.ts';
import { withPages } from './web-root.ts';

const OPEN_TIMEOUT_MS = 180_000;

export interface SiteOptions extends ContextOptions {
  /** Who is signed in. Default: nobody. */
  as?: 'admin' | Account;
}

/** The pages of the system under test in a browser, and its API. */
export class Site extends Tabs<SiteOptions> {
  readonly api = new Api();
  /** Other files delete their agents while a page reads the names of all. */
  readonly #agentOfOthers = {
    test: (problem: string) => {
      const id = /404 .*\/agents\/([\da-f-]{36})\)$/.exec(problem)?.[1];
      return id !== undefined && !this.api.hasMade(id);
    },
  };
  #adminCookie: Promise<string> | undefined;

  /** Without options: the fleet that the files of this run share. */
  async open(chromium: string, options?: LocalFleetOptions): Promise<void> {
    await this.api.open(CONTROLS_PROCESSES && options ? await withPages(options) : undefined);
    await this.launch(chromium, new URL(this.api.baseUrl).origin);
  }

  override newPage({ allow = [], ...options }: TabOptions & SiteOptions = {}): Promise<Page> {
    return super.newPage({ ...options, allow: [...allow, this.#agentOfOthers] });
  }

  override async newContext({ as, ...options }: SiteOptions = {}): Promise<BrowserContext> {
    const context = await super.newContext(options);
    if (as !== undefined) await this.signIn(context, as);
    return context;
  }

  /** Signs in without the form. */
  async signIn(context: BrowserContext, as: 'admin' | Account): Promise<void> {
    const cookie = as === 'admin' ? await this.#signInAdmin() : await this.#newSession(as);
    const [name = '', value = ''] = cookie.split('=');
    const fixed = { httpOnly: true, secure: name.startsWith('__Host-'), sameSite: 'Strict' } as const;
    await context.addCookies([{ name, value, url: this.origin, ...fixed }]);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.api.close();
  }

  #signInAdmin(): Promise<string> {
    this.#adminCookie ??= this.#newSession(this.api.admin);
    return this.#adminCookie;
  }

  async #newSession(account: Pick<Account, 'email' | 'password'>): Promise<string> {
    return (await this.api.accounts.openSession(account)).cookie ?? '';
  }
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
