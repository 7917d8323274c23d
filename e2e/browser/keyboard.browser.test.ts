import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { shown, untilQuery } from './support/actions.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

type Role = Parameters<Page['getByRole']>[0];

/** More than any page has between two things that one wants. */
const MAX_STEPS = 80;
/** Lists repeat themselves after that. */
const REACHED_PER_PAGE = 40;

await describePages(
  'By keyboard alone one can',
  (site) => {
    test('search the catalogue and open a skill', () => findSkill(site));
    test('sign in, create an agent and a task, open the task and cancel it', () => runFleet(site));
    test('go through a list, and see which keys there are', () => walkList(site));
    test('reach everything that can be pressed, in the order of the page', () => reachEverything(site), 300_000);
  },
  { fleet: () => ({}) },
);

/** Why the focused element cannot be seen; empty if it can. Runs in the page. */
function whyUnseen(): string {
  const element = document.activeElement;
  if (element === null || element === document.body) return '';
  const name = element.outerHTML.slice(0, 120);
  const boxes = [
    getComputedStyle(element),
    getComputedStyle(element, '::before'),
    getComputedStyle(element, '::after'),
  ];
  const hasRing = boxes.some(
    ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1,
  );
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  if (!hasRing) return `no ring: ${name}`;
  return isInside && width > 1 && height > 1 ? '' : `outside of the window: ${name}`;
}

async function expectSeen(page: Page): Promise<void> {
  expect(await page.evaluate(whyUnseen)).toBe('');
}

/** Presses Tab until the element has the focus, which is seen at every step. */
async function tabTo(page: Page, role: Role, name: string | RegExp, key = 'Tab'): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: typeof name === 'string' }).and(page.locator(':focus'));
  const passed: (string | null)[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((await wanted.count()) > 0) return;
    await page.keyboard.press(key);
    await expectSeen(page);
    passed.push(await page.evaluate(() => document.activeElement?.textContent?.slice(0, 30) ?? null));
  }
  throw new Error(`No focus on ${role} ${name}, but on: ${passed.join(' | ')}`);
}

const focused = (page: Page) => page.locator(':focus');

function isSearchFor(url: string, text: string): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname === '/api/catalogue' && searchParams.get('q') === text;
}

async function findSkill(site: Site): Promise<void> {
  const page = await site.visit('/', { allow: [/\/skill\.md/] });
  await page.keyboard.press('/');
  await expectSeen(page);
  const [{ name }] = (await site.api.get('/api/skills?limit=1')).json as [{ name: string }];
  const answered = page.waitForResponse((response) => isSearchFor(response.url(), name));
  await page.keyboard.type(name);
  await answered;
  // Rows of an earlier answer would go, and the focus with them.
  await page.locator('.is-stale').waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('link', { name }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expectSeen(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/skills\//);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  // The keys for it are those of the browser's window, which a headless one does not have.
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Find skills for your agents' }).waitFor();
  await untilQuery(page, /q=/);
}

async function runFleet(site: Site): Promise<void> {
  const { admin } = site.api;
  const page = await site.visit('/console');
  await tabTo(page, 'textbox', 'E-mail');
  await page.keyboard.type(admin.email);
  await tabTo(page, 'textbox', 'Password');
  await page.keyboard.type(admin.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  // The navigation is before the main content, where the focus is.
  await tabTo(page, 'link', 'Agents', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  await untilReady(page);
  await tabTo(page, 'button', 'Create agent');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Name');
  const name = `Made by keyboard ${Date.now()}`;
  await page.keyboard.type(name);
  for (const action of ['Next', 'Create agent', 'Go to the agent']) {
    await tabTo(page, 'button', action);
    await page.keyboard.press('Enter');
  }
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await untilReady(page);

  await tabTo(page, 'button', 'Create task');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Message');
  await page.keyboard.type('Typed, not clicked');
  await tabTo(page, 'button', 'Create task');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('link', { name: 'Typed, not clicked' }).waitFor();
  await page.keyboard.press('j');
  await expectSeen(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Typed, not clicked' }).waitFor();
  await untilReady(page);

  await tabTo(page, 'button', /^Cancel/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, 'button', 'Cancel task');
  await page.keyboard.press('Enter');
  await shown(page, 'Cancelled').waitFor();
}

async function walkList(site: Site): Promise<void> {
  await Promise.all(['First', 'Second', 'Third'].map((name) => site.api.createAgent({ name })));
  const page = await site.visit('/console/agents', { as: 'admin' });
  const texts: (string | null)[] = [];
  for (const key of ['j', 'j', 'j', 'k', 'k']) {
    await page.keyboard.press(key);
    await expectSeen(page);
    texts.push(await focused(page).textContent());
  }
  const [first, second, third, secondAgain, firstAgain] = texts;
  expect(new Set([first, second, third]).size).toBe(3);
  expect([secondAgain, firstAgain]).toEqual([second, first]);

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused(page).textContent()).toBe(first);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/agents\/[^/]+$/);
  const [{ id: agent }] = (await site.api.get('/agents?name=Second')).json as [{ id: string }];
  await site.api.createTask(agent, { message: 'Palatable' });

  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await untilReady(page);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog', { name: 'Create task' }).waitFor();
  await page.keyboard.press('Escape');
  await untilQuery(page, '');
  for (const [words, found, title] of [
    ['Second', 'Second agent', 'Second'],
    ['palatab', 'Palatable task', 'Palatable'],
    ['regis', 'Registry', 'Registry'],
  ] as const) {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Page, action, agent or task' });
    await field.and(focused(page)).waitFor();
    await page.keyboard.type(words);
    await page
      .getByRole('option', { name: new RegExp(`^${found}`) })
      .and(page.locator('[aria-selected=true]'))
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
}

/** The elements of a page that can have the focus, and those that Tab has led to. */
async function reachEverything(site: Site): Promise<void> {
  const agent = await site.api.createAgent({ name: 'Reached' });
  const task = await site.api.createTask(agent.id);
  const paths = ['/', '/console', '/console/tasks', '/console/agents', '/console/workers', '/console/registry'];
  const details = [`/console/agents/${agent.id}`, `/console/agents/${agent.id}/tasks/${task.id}`, '/console/access'];
  for (const path of [...paths, ...details]) {
    const page = await site.visit(path, { as: 'admin' });
    const count = await page.evaluate(numberTargets);
    const order: number[] = [];
    const unseen: string[] = [];
    for (let step = 0; step < Math.min(count, REACHED_PER_PAGE); step++) {
      await page.keyboard.press('Tab');
      const why = await page.evaluate(whyUnseen);
      if (why) unseen.push(why);
      order.push(await page.evaluate(() => Number((document.activeElement as HTMLElement).dataset.target)));
    }
    expect([path, unseen]).toEqual([path, []]);
    expect([path, order]).toEqual([path, order.toSorted((a, b) => a - b)]);
    expect([path, order.length]).toEqual([path, Math.min(count, REACHED_PER_PAGE)]);
  }
}

/** Runs in the page: numbers what one can press, in the order of the document. @returns their count */
function numberTargets(): number {
  const all = document.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]',
  );
  const targets = [...all].filter((element) => element.checkVisibility() && !element.matches(':disabled'));
  for (const [at, element] of targets.entries()) element.dataset.target = String(at);
  return targets.length;
}
