import { afterAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Task } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { HIDDEN_SHOWN } from './support/agent-work/patches.ts';
import { type HostileSeed, seedHostileFleet } from './support/hostile-seed.ts';
import { HOSTILE_SKILLS, LONG_WORD_SKILL } from './support/hostile-skill.ts';
import { ATTACKING, LONG_WORDS, MARKERS } from './support/hostile-text.ts';
import { taskPage } from './support/seed.ts';
import { describePages, type Site } from './support/site.ts';
import { openSkillSource, type SkillSource } from './support/skill-source.ts';
import { keepScreenshot } from './support/well-made.ts';

type Marker = keyof typeof MARKERS;

const inboxPage = ({ agent_id, id }: Task, request: string) => `/console/inbox?request=${agent_id}/${id}/${request}`;

/** Page, address, and what is shown at once of the hostile data. */
type PageCase = [name: string, path: (seed: HostileSeed) => string, shown: readonly Marker[]];
const SKILL_PAGES: readonly PageCase[] = [
  ['the catalogue', () => `/?q=${MARKERS.description}`, ['skill', 'description']],
  ['a skill', () => '/skills/hostile-skill', ['skill', 'description', 'file']],
];
const PAGES: readonly PageCase[] = [
  ...(CONTROLS_PROCESSES ? SKILL_PAGES : []),
  ['the overview', () => '/console', ['model']],
  ['the tasks', () => '/console/tasks', ['message']],
  ['tasks by tag', () => `/console/tasks?tag=${encodeURIComponent('<img src=x onerror=window.__pwned=1>')}`, []],
  ['the agents', () => '/console/agents', ['agent']],
  ['an agent', ({ agent }) => `/console/agents/${agent.id}`, ['agent', 'pause', 'message']],
  ['a definition', ({ agent }) => `/console/agents/${agent.id}?part=definition&with=1`, ['agent', 'definition']],
  ['the money of an agent', ({ agent }) => `/console/agents/${agent.id}?part=money`, ['agent', 'model']],
  ['a pending task', ({ pending }) => taskPage(pending), ['message', 'tag']],
  ['a failed task', ({ failed }) => taskPage(failed), ['message', 'error', 'log', 'worker']],
  ['a completed task', ({ completed }) => taskPage(completed), ['message', 'worker']],
  ['a running task', ({ running }) => taskPage(running), ['message', 'progress', 'log', 'worker']],
  ['a task that asks', ({ asking }) => taskPage(asking), ['message', 'transcript', 'request', 'worker']],
  ['an approval', ({ asking, approval }) => inboxPage(asking, approval), ['request']],
  ['a form', ({ asking, form }) => inboxPage(asking, form), ['request']],
  ['a task with an answer', ({ answered }) => taskPage(answered), ['answer', 'patch', 'model']],
  ['a task with a question', ({ question }) => taskPage(question), ['question', 'worker']],
  ['the workers', () => '/console/workers', ['worker']],
  ['the registry', () => '/console/registry', []],
  ['the users', () => '/console/access', ['email']],
  ['the API keys', () => '/console/access/keys', ['key']],
  ['the sessions', () => '/console/access/sessions', ['userAgent']],
  ['the audit', () => '/console/access/audit', ['email']],
];

const LONG_WORD = 'w'.repeat(300);
const WORD_PAGES: readonly PageCase[] = [
  ...(CONTROLS_PROCESSES ? ([['the skill', () => '/skills/long-word-skill', []]] satisfies PageCase[]) : []),
  ...PAGES.filter(([name]) => name !== 'a skill'),
  ['the catalogue by filters', () => `/?q=${LONG_WORD}&category=${LONG_WORD}&author=${LONG_WORD}`, []],
  ['tasks by filters', () => `/console/tasks?tag=${LONG_WORD}&worker_id=${LONG_WORD}&agent_id=${LONG_WORD}`, []],
  ['the agents by filters', () => `/console/agents?q=${LONG_WORD}&name=${LONG_WORD}`, []],
];

/** Elements and attributes that only markup of data could have made. */
const MADE_BY_DATA = [
  '#app script, #app style, #app iframe, #app object, #app embed, #app base, #app meta',
  'img[src=x], img[src*="pixel.example"], form[action*="evil.example"], a[href^="https://evil"]',
  '[onerror], [onload], [onclick], [srcdoc], svg[onload]',
].join(', ');
const RESPONDS_WITHIN_MS = 3_000;

/** What is in a page. Runs in the page. */
function inspect(selector: string) {
  // Other control characters than tabs and the ends of lines.
  const invisible = /.{0,20}(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}].{0,20}/gu;
  const labelled = [...document.querySelectorAll('[title], [aria-label], [alt]')];
  const labels = labelled.flatMap((element) =>
    ['title', 'aria-label', 'alt'].map((name) => element.getAttribute(name)),
  );
  const texts = [document.title, document.body.textContent, ...labels];
  /** Beyond the window, where nothing around it scrolls or cuts. */
  const isOutside = (element: Element) => {
    if (element.getBoundingClientRect().right <= window.innerWidth + 1) return false;
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (at !== document.body && getComputedStyle(at).overflowX !== 'visible') return false;
    }
    return true;
  };
  const outside = [...document.querySelectorAll('#app *')].filter(isOutside);
  return {
    hasRun: '__pwned' in window,
    madeByData: [...document.querySelectorAll(selector)].map(({ outerHTML }) => outerHTML.slice(0, 200)),
    scriptLinks: [...document.links].map(({ href }) => href).filter((href) => !/^(https?|mailto):/.test(href)),
    invisible: texts.flatMap((text) => text?.match(invisible) ?? []),
    isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    outside: outside.map(({ outerHTML }) => outerHTML.slice(0, 200)),
  };
}

/** Nothing of the data became more than text. */
async function expectOnlyText(page: Page): Promise<void> {
  const nothing = { hasRun: false, madeByData: [], scriptLinks: [], invisible: [], isTooWide: false, outside: [] };
  expect(await page.evaluate(inspect, MADE_BY_DATA)).toEqual(nothing);
}

let source: SkillSource | undefined;
let seed: HostileSeed;
let longWords: HostileSeed;
afterAll(() => source?.close());

logOmittedTests('hostile skills');
await describePages('Hostile data', specify, {
  async fleet() {
    source = await openSkillSource([...HOSTILE_SKILLS, LONG_WORD_SKILL]);
    return { env: { registry: source.env } };
  },
  async prepare({ api }) {
    seed = await seedHostileFleet(api, ATTACKING);
    longWords = await seedHostileFleet(api, LONG_WORDS);
  },
});

function specify(site: Site): void {
  describe('is shown as text by', () => {
    test.each(PAGES)('%s', async (_name, path, shown) => {
      const page = await site.visit(path(seed), { as: 'admin', width: 390 });
      for (const marker of shown) await page.getByText(MARKERS[marker]).filter({ visible: true }).first().waitFor();
      await expectOnlyText(page);
    });
  });

  describe('of long words fits a window of 390 px on', () => {
    test.each(WORD_PAGES)('%s', async (name, path) => {
      const page = await site.visit(path(longWords), { as: 'admin', width: 390 });
      await keepScreenshot(page, `long-words-${name.replaceAll(' ', '-')}`);
      await expectOnlyText(page);
    });
  });

  test('a result of 1 MiB that is one word is shown in full without freezing the page', async () => {
    const page = await site.visit(taskPage(seed.completed), { as: 'admin', width: 390 });
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('button', { name: /^Show/ }).first().click();
    await result.getByText(MARKERS.result).first().waitFor();
    const all = result.getByRole('button', { name: /^Show all/ });
    if (await all.count()) await all.first().click();
    const began = Date.now();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(Date.now() - began).toBeLessThan(RESPONDS_WITHIN_MS);
    await expectOnlyText(page);
  });

  test('a patch of 256 KiB is shown in full without freezing the page', async () => {
    const page = await site.visit(taskPage(seed.answered), { as: 'admin', width: 390 });
    const changes = page.getByRole('region', { name: 'Changes' });
    const closed = changes.locator('details:not([open]) > summary');
    const more = changes.getByRole('button', { name: /^Show (all|[\d,]+ of)/ });
    for (const target of [closed, more]) {
      while ((await target.count()) > 0) {
        await target.first().scrollIntoViewIfNeeded();
        const began = Date.now();
        await target.first().click();
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        expect(Date.now() - began).toBeLessThan(RESPONDS_WITHIN_MS);
      }
    }
    await changes.getByText(HIDDEN_SHOWN).waitFor();
    expect(await page.locator('.patch-line').count()).toBeGreaterThan(15_000);
    await expectOnlyText(page);
  });

  test('all that a transcript folds is text', async () => {
    const page = await site.visit(taskPage(seed.asking), { as: 'admin', width: 390 });
    const folded = page.getByRole('log').locator('details:not([open]) > summary');
    await folded.first().waitFor();
    while ((await folded.count()) > 0) await folded.first().click();
    await expectOnlyText(page);
  });

  test('an event of the audit is shown as text', async () => {
    const page = await site.visit('/console/access/audit', { as: 'admin', width: 390 });
    await page.getByRole('row').filter({ hasText: MARKERS.email }).first().locator('[data-row]').click();
    await page.getByRole('dialog').getByText(MARKERS.requestId).first().waitFor();
    await expectOnlyText(page);
  });

  test('an address with markup stays text', async () => {
    const attack = encodeURIComponent('"><img src=x onerror=window.__pwned=1>\u202E');
    for (const path of [`/?q=${attack}&category=${attack}&sort=${attack}`, `/skills/${attack}`]) {
      const page = await site.visit(path, { allow: [/404/, /400/] });
      await expectOnlyText(page);
    }
    for (const path of [`/console/agents/${attack}`, `/console/tasks?agent_id=${attack}`, `/console/${attack}`]) {
      const page = await site.visit(path, { as: 'admin', allow: [/404/, /400/] });
      await expectOnlyText(page);
    }
  });
}
