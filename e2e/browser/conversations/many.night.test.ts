import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Lease } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { conversationOf } from '../../spec/conversations/input-requests.ts';
import { taskPage } from '../support/seed.ts';
import { describePages, type Site } from '../support/site.ts';

const ENTRIES = 10_000;
const REQUESTS = 10_000;
const OPEN_REQUESTS_PER_TASK = 16;
const AT_ONCE = 8;
const OPENS_WITHIN_MS = 1_000;
const LONGEST_TASK_MS = 100;
const TIMEOUT_MS = 600_000;

await describePages('With very many', specify, { fleet: () => ({}), timeoutMs: TIMEOUT_MS });

function specify(site: Site): void {
  const talk = conversationOf(site.api);

  test(
    'entries a transcript opens within a second, and scrolls without a long task',
    async () => {
      const lease = await talk.start();
      for (let from = 0; from < ENTRIES; from += 100) await write(site, lease, from);
      const page = await openConsole(site);
      const openMs = await timeOf(page, taskPage(lease.task), '[data-entry]:nth-of-type(100)');
      await page.evaluate(takeLongest);
      const longest = [];
      for (let times = 0; times < 10; times++) {
        await page.getByRole('log').evaluate(scrollUp);
        longest.push(await page.evaluate(takeLongest));
        await page.getByRole('button', { name: 'Show earlier' }).click();
      }
      console.info(`${ENTRIES} entries: ${openMs} ms, longest tasks while it scrolls ${longest} ms`);
      expect(openMs).toBeLessThanOrEqual(OPENS_WITHIN_MS);
      expect(Math.max(...longest)).toBeLessThanOrEqual(LONGEST_TASK_MS);
    },
    TIMEOUT_MS,
  );

  test(
    'open requests the inbox opens within a second',
    async () => {
      const starts = Array.from({ length: REQUESTS / OPEN_REQUESTS_PER_TASK }).entries();
      const startSome = async () => {
        for (const _ of starts) {
          const lease = await talk.start();
          for (let at = 0; at < OPEN_REQUESTS_PER_TASK; at++) await talk.ask(lease);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, startSome));
      const page = await openConsole(site);
      const openMs = await timeOf(page, '/console/inbox', '[data-answer-key="a"], .request-options');
      console.info(`${REQUESTS} open requests: ${openMs} ms`);
      expect(openMs).toBeLessThanOrEqual(OPENS_WITHIN_MS);
      await page.getByText('10,000 open requests').waitFor();
    },
    TIMEOUT_MS,
  );
}

async function write({ api }: Site, { id, token }: Lease, from: number): Promise<void> {
  const entries = Array.from({ length: 20 }, (_, at) => {
    const call_id = String(from + at);
    return [
      { type: 'text', data: { markdown: `I look at **file ${call_id}**, and at:\n\n- its tests\n- its types` } },
      { type: 'tool_call', data: { call_id, name: 'Bash', input: { command: 'npm test' }, summary: 'npm test' } },
      { type: 'tool_result', data: { call_id, is_error: false, exit_code: 0, duration_ms: 12, output: 'passed' } },
      { type: 'file_edit', data: { path: 'a.ts', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-a\n+b\n' } },
      { text: 'a line of the standard output' },
    ];
  }).flat();
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
}

/** With the files of the pages in the cache of the browser. */
async function openConsole(site: Site): Promise<Page> {
  const page = await site.visit('/console/tasks', { as: 'admin' });
  await page.addInitScript(noteLongest);
  return page;
}

async function timeOf(page: Page, path: string, selector: string): Promise<number> {
  const began = Date.now();
  await page.goto(path);
  await page.locator(selector).first().waitFor();
  return Date.now() - began;
}

/** Runs in the page. */
function noteLongest(): void {
  const noted = { longest: 0 };
  Object.assign(window, { noted });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.longest = Math.max(noted.longest, duration);
  }).observe({ entryTypes: ['longtask'] });
}

/** Runs in the page. */
function takeLongest(): number {
  const { noted } = window as unknown as { noted: { longest: number } };
  const { longest } = noted;
  noted.longest = 0;
  return longest;
}

/** Runs in the page: a step in each frame, as a wheel does it. */
async function scrollUp(log: Element): Promise<void> {
  log.dispatchEvent(new TouchEvent('touchmove'));
  while (log.scrollTop > 0) {
    log.scrollTop -= 300;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
