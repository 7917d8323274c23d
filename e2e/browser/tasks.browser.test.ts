import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Agent, type Lease, pathOf, type Task } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';
import { untilLive } from './support/actions.ts';
import { findViolations } from './support/axe.ts';
import { runBulkAction } from './support/large-fleet.ts';
import { taskPage } from './support/seed.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

await describePages('The console', (site) => {
  describe('in the list of tasks', () => {
    specifyList(site);
    specifyBulkActions(site);
  });
  describe('on the page of a task', () => {
    specifyTask(site);
    specifyLog(site);
  });
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const untilClosed = (page: Page) => dialog(page).waitFor({ state: 'detached' });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const listOf = ({ id }: Agent, more = '') => `/console/tasks?agent_id=${id}${more}`;
const messages = (page: Page) => page.locator('[data-row]').allTextContents();

function specifyList(site: Site): void {
  test('changes rows as tasks change, without a reload', async () => {
    const agent = await site.api.createAgent();
    const page = await site.visit(listOf(agent), { as: 'admin' });
    await page.getByText('No tasks match these filters').waitFor();
    await site.api.createTask(agent.id, { message: 'The live one' });
    await row(page, 'The live one').getByText('pending').waitFor();
    const lease = await site.api.lease(agent.id);
    await row(page, 'The live one').getByText('running').waitFor();
    expectStatus(await site.api.heartbeat(lease, { progress: { percent: 33.4 } }), 200);
    await row(page, 'The live one').getByText('33 %').waitFor();
    expectStatus(await site.api.report(lease, { result: 1 }), 200);
    await row(page, 'The live one').getByText('completed').waitFor();
  });

  test('keeps rows in their places while one points at them, and says how many are new', async () => {
    const agent = await site.api.createAgent();
    const first = await site.api.createTask(agent.id, { message: 'First' });
    const page = await site.visit(listOf(agent), { as: 'admin' });
    await row(page, 'First').hover();
    await site.api.createTasks(agent.id, 3);
    await button(page, '3 new tasks · Show').waitFor();
    expect(await messages(page)).toEqual(['First']);
    expectStatus(await site.api.cancel(first), 200);
    await row(page, 'First').getByText('cancelled').waitFor();
    await button(page, '3 new tasks · Show').click();
    await page.locator('[data-row]').nth(3).waitFor();
    await row(page, 'First').waitFor();
    expect(await messages(page)).toHaveLength(4);
  });

  test('creates a task, and says what is wrong with its fields', async () => {
    const agent = await site.api.createAgent({ name: 'Gets a task' });
    const page = await site.visit(listOf(agent), { as: 'admin', allow: [/422/] });
    await button(page, 'Create task').first().click();
    await dialog(page).getByRole('textbox', { name: 'Message' }).fill('Count the words\nof the report');
    await dialog(page).getByText('More', { exact: true }).click();
    await dialog(page).getByRole('textbox', { name: 'Input' }).fill('{"report": 7,}');
    await dialog(page).getByRole('textbox', { name: 'Tags' }).fill('report, words');
    const [{ id: skill }] = (await site.api.get('/api/skills?limit=1')).json as [{ id: string }];
    const picker = dialog(page).getByRole('combobox', { name: 'Find a skill' });
    for (const typed of [skill, 'of-my-own-making']) {
      await picker.fill(typed);
      // Behind what is found is what was typed.
      const found = dialog(page).getByRole('listbox').getByRole('option').filter({ hasText: typed });
      await (typed === skill ? found.first() : found.last()).click();
    }
    expect(await findViolations(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Create task' }).click();
    await dialog(page)
      .getByText(/^This is not JSON: .+line 1 column 14/)
      .waitFor();
    await dialog(page).getByRole('textbox', { name: 'Input' }).fill('{"report": 7}');
    await dialog(page).getByRole('button', { name: 'Create task' }).click();
    await dialog(page).getByText('It is no skill of the registry: of-my-own-making').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Skills' }).fill(skill);
    await dialog(page).getByRole('button', { name: 'Create task' }).click();
    await untilClosed(page);
    await link(page, 'Count the words').waitFor();
    const [task] = (await site.api.get(`/tasks?agent_id=${agent.id}`)).json as Task[];
    expect(task).toMatchObject({
      ...{ input: { report: 7 }, tags: ['report', 'words'], priority: 5 },
      skills: [skill],
    });
  });

  test('creates one task for a button that is pressed twice at once', async () => {
    const agent = await site.api.createAgent();
    const page = await site.visit(listOf(agent), { as: 'admin' });
    await button(page, 'Create task').first().click();
    await dialog(page).getByRole('textbox', { name: 'Message' }).fill('Only once');
    await dialog(page)
      .getByRole('button', { name: 'Create task' })
      .evaluate((it: HTMLElement) => [it, it].map((each) => each.click()));
    await untilClosed(page);
    await row(page, 'Only once').getByText('pending').waitFor();
    expect((await site.api.get(`/tasks?agent_id=${agent.id}`)).json).toHaveLength(1);
  });

  test('gives the message of a row 60 % of its column, and the tags what is left', async () => {
    const agent = await site.api.createAgent();
    const message = 'Compare the invoices of the last quarter with the orders, and list what was billed twice';
    const tags = ['accounting', 'third-quarter', 'customer-escalation', 'nightly'];
    await site.api.createTask(agent.id, { message, tags, priority: 9 });
    const page = await site.visit(listOf(agent), { as: 'admin' });
    const cell = row(page, 'Compare the invoices').locator('.main-cell');
    expect(await cell.locator('.tag, .more').allTextContents()).toEqual(['accounting', 'third-quarter', '+2']);
    const share = await cell.evaluate((it) => {
      const { paddingLeft, paddingRight } = getComputedStyle(it);
      const link = it.querySelector('.cut')?.getBoundingClientRect().width ?? 0;
      return link / (it.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
    });
    expect(share).toBeGreaterThanOrEqual(0.6);
  });

  test('searches as one types, counts each status under any filter, and Back removes filters', async () => {
    const agent = await site.api.createAgent();
    await site.api.createTask(agent.id, { message: 'With a tag', tags: ['red & blue'] });
    await site.api.createTask(agent.id, { message: 'Without' });
    expectStatus(await site.api.cancel(await site.api.createTask(agent.id, { message: 'Blue, then red' })), 200);
    const page = await site.visit(listOf(agent), { as: 'admin' });
    const tabs = page.getByRole('navigation', { name: 'Status' });
    const untilCounted = async (...counts: string[]) => {
      const shown = ['All', 'Pending', 'Running', 'Needs input', 'Completed', 'Failed', 'Cancelled'].map(
        (name, at) => name + counts[at],
      );
      await page.waitForFunction(
        (wanted) => [...document.querySelectorAll('.tab')].map((tab) => tab.textContent).join() === wanted,
        shown.join(),
      );
    };
    await untilCounted('3', '2', '0', '0', '0', '0', '1');
    await page.keyboard.press('/');
    await page.keyboard.type('RED blu');
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'RED blu');
    await page.getByText('2 tasks', { exact: true }).waitFor();
    await untilCounted('2', '1', '0', '0', '0', '0', '1');
    // The field takes its text as it is left: the tab is another one when the button of the mouse is released.
    await page.keyboard.type('e');
    await tabs.getByRole('link', { name: 'Pending' }).click();
    await page.waitForURL(({ search }) => search.endsWith('&q=RED+blue&status=pending'));
    await page.reload();
    await untilReady(page);
    expect(await messages(page)).toEqual(['With a tag']);
    await page.goBack();
    await page.goBack();
    await page.getByText('1–3 of 3').waitFor();
  });

  test('says how far a search has looked that goes on', async () => {
    const agent = await site.api.createAgent();
    const task = await site.api.createTask(agent.id, { message: 'Found at once' });
    const page = await site.newPage({ as: 'admin' });
    await page.route(/\/tasks\?.*q=/, async (route) => {
      const response = await route.fetch();
      const link = `</tasks?limit=1&after=${task.id}>; rel="next"`;
      await route.fulfill({ response, headers: { ...response.headers(), link } });
    });
    await page.goto(`${listOf(agent)}&q=found`);
    await page.getByText(/^1 task found since \d{4}-\d\d-\d\d \d\d:\d\d$/).waitFor();
    await page.getByText('All1+').waitFor();
    await page.goto(`${listOf(agent)}&q=nowhere`);
    await page.getByText('No tasks found yet').waitFor();
    expect(await link(page, 'Next').getAttribute('href')).toContain(`after=${task.id}`);
  });

  test('chooses columns, orders the rows of a page, and names such a view', async () => {
    const agent = await site.api.createAgent();
    for (const [message, amount] of [
      ['Cheap', 0.02],
      ['Dear', 1.5],
      ['Middling', 0.3],
    ] as const) {
      const lease = await site.api.createRunning(agent.id, { message });
      const cost = { amount, currency: 'USD', estimated: false };
      expectStatus(await site.api.report(lease, { result: 1, cost }), 200);
    }
    await site.api.createTask(agent.id, { message: 'Free' });
    const page = await site.visit(listOf(agent), { as: 'admin' });
    await button(page, 'Columns').click();
    await page.getByRole('checkbox', { name: 'Cost' }).check();
    await page.keyboard.press('Escape');
    await button(page, 'Cost').click();
    await page.getByRole('columnheader', { name: 'Cost' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await row(page, 'Dear').getByText('$1.50').waitFor();
    await page.waitForFunction(() => document.querySelector('[data-row]')?.textContent === 'Dear');
    expect(await messages(page)).toEqual(['Dear', 'Middling', 'Cheap', 'Free']);
    await button(page, /^Cost/).click();
    await page.locator('[aria-sort=ascending]').waitFor();
    await page.waitForFunction(() => document.querySelector('[data-row]')?.textContent === 'Cheap');
    expect(await messages(page)).toEqual(['Cheap', 'Middling', 'Dear', 'Free']);
    await button(page, 'Views').click();
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('Cheap <first>');
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(fillStorage);
    await button(page, 'Save').click();
    await page.getByText('Not saved').waitFor();
    await page.evaluate(() => localStorage.removeItem('filler'));
    await button(page, 'Save').click();
    await page.evaluate(() => localStorage.removeItem('fleet.signed-in'));
    await page.evaluate(fillStorage);
    await page.goto('/console/tasks');
    await untilReady(page);
    await untilLive(page);
    await button(page, 'Views').click();
    await link(page, 'Cheap <first>').click();
    await page.waitForURL(
      ({ search }) =>
        search ===
        `?agent_id=${agent.id}&columns=${encodeURIComponent('Agent,Attempts,Duration,Cost,Created')}&sort=-Cost`,
    );
    await button(page, 'Views').click();
    await button(page, 'Remove Cheap <first>').click();
    await link(page, 'Cheap <first>').waitFor({ state: 'detached' });
  });

  test('is where one was after Back: as far down, on the row that one has opened', async () => {
    const agent = await site.api.createAgent();
    await site.api.createTasks(agent.id, 60);
    const page = await site.visit(listOf(agent, '&limit=100'), { as: 'admin' });
    const opened = page.locator('[data-row]').nth(48);
    await opened.scrollIntoViewIfNeeded();
    const [href, top] = [await opened.getAttribute('href'), await page.evaluate(() => scrollY)];
    expect(top).toBeGreaterThan(800);
    await opened.click();
    await page.getByText('No worker takes tasks of this agent').waitFor();
    await page.goBack();
    await page.waitForFunction((wanted) => document.activeElement?.getAttribute('href') === wanted, href);
    expect(await page.evaluate(() => scrollY)).toBeCloseTo(top, -1);
  });
}

/** Until nothing more can be kept. Runs in the page. */
function fillStorage(): void {
  for (let length = 2 ** 23; length >= 1; length /= 2) {
    try {
      localStorage.setItem('filler', (localStorage.getItem('filler') ?? '') + 'x'.repeat(length));
    } catch {
      // Half as much may fit.
    }
  }
}

function specifyBulkActions(site: Site): void {
  test('cancels the selected tasks', async () => {
    const agent = await site.api.createAgent();
    for (const message of ['One', 'Two', 'Three']) await site.api.createTask(agent.id, { message });
    const page = await site.visit(listOf(agent), { as: 'admin' });
    for (const name of ['One', 'Two']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Cancel').click();
    await dialog(page).getByText('2 tasks will be cancelled.').waitFor();
    await button(page, 'Cancel 2 tasks').click();
    await page.getByText('Cancelled 2 tasks').waitFor();
    await row(page, 'Two').getByText('cancelled').waitFor();
    await row(page, 'Three').getByText('pending').waitFor();
  });

  test('retries and deletes all tasks that match, after it has counted them', async () => {
    const agent = await site.api.createAgent();
    await site.api.createTasks(agent.id, 120);
    await runBulkAction(site.api, { action: 'cancel', filter: { agent_id: agent.id } });
    const page = await site.visit(listOf(agent, '&limit=25'), { as: 'admin' });
    await page.getByText('1–25 of 120').waitFor();
    for (const [action, done, left] of [
      ['Retry', 'Retried', '1–25 of 240'],
      ['Delete', 'Deleted', '1–25 of 120'],
    ] as const) {
      // A page may have the new total, and not the newest rows yet: those that it loses are no longer selected.
      const newest = await site.api.get(`/tasks?agent_id=${agent.id}&order=desc&limit=1`);
      await page
        .locator(`a[href$="${(newest.json as { id: string }[])[0]?.id}"]`)
        .first()
        .waitFor();
      await page.getByRole('checkbox', { name: 'Select all rows' }).check();
      await button(page, /^Select all \d+ that match$/).click();
      await button(page, action).click();
      await button(page, `${action} 120 tasks`).click();
      await page.getByText(`${done} 120 tasks`).first().waitFor();
      await page.getByText(left).waitFor();
    }
  });
}

function specifyTask(site: Site): void {
  const run = async (fields: Record<string, unknown>) => {
    const agent = await site.api.createAgent({ name: 'Runs a task' });
    return site.api.createRunning(agent.id, fields);
  };

  test('says why it waits, and resumes the agent', async () => {
    const agent = await site.api.createAgent();
    expectStatus(await site.api.call('PUT', `/agents/${agent.id}/pause`), 200);
    const page = await site.visit(taskPage(await site.api.createTask(agent.id)), { as: 'admin' });
    await page.getByText('The agent is paused').waitFor();
    await button(page, 'Resume the agent').click();
    await page.getByText('No worker takes tasks of this agent').waitFor();
  });

  test.each([
    ['gpt', 'codex'],
    ['gemini', 'gemini'],
  ])('offers a worker of its agent of type %s, with the runtime %s', async (type, runtime) => {
    const agent = await site.api.createAgent({ type });
    const page = await site.visit(taskPage(await site.api.createTask(agent.id)), { as: 'admin' });
    await page.getByText('No worker takes tasks of this agent').waitFor();
    const command = await page.locator('main pre').first().textContent();
    expect(command).toMatch(new RegExp(` --agent ${agent.id} --runtime ${runtime}$`));
  });

  test('is called by its first line, as is its tab', async () => {
    const lease = await run({ message: '\n  Sort the mail \n of Monday' });
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    await page.getByRole('heading', { level: 1, name: 'Sort the mail', exact: true }).waitFor();
    // Before it may be how many requests of other tests are open.
    expect(await page.title()).toMatch(/^(\(\d+\) )?Sort the mail · Agent Fleet$/);
  });

  test('has its result in one place, whether one sees it come or not', async () => {
    const lease = await run({ message: 'Say where' });
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    const panels = () => page.locator('main h2').allTextContents();
    expectStatus(await site.api.report(lease, { result: { seat: 14 } }), 200);
    await page.getByRole('region', { name: 'Result' }).waitFor();
    const ended = page.locator('.fact', { hasText: 'Ended' }).locator('time');
    await ended.hover();
    expect(await ended.textContent()).toMatch(/^[\d.]+ (ms|s|min)( \d+ s)? later$/);
    expect(await ended.getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d /);
    const scale = page.locator('.timeline-scale time').last();
    await scale.hover();
    expect(await scale.getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d /);
    const live = await panels();
    await page.reload();
    await untilReady(page);
    expect(await panels()).toEqual(live);
    expect(live.slice(0, 2)).toEqual(['Conversation', 'Result']);
  });

  test('retries it with any of its options changed, and duplicates it for another agent', async () => {
    const options = { tags: ['mail'], model: 'small', priority: 3, metadata: { by: 'hand' }, max_attempts: 1 };
    const lease = await run({ message: 'Sort the mail', input: { box: 5 }, ...options });
    expectStatus(await site.api.report(lease, { result: 1 }), 200);
    const other = await site.api.createAgent({ name: 'Takes copies' });
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    const created = async () =>
      (await site.api.get(new URL(page.url()).pathname.replace('/console', ''))).json as Record<string, unknown>;
    await button(page, 'More actions').click();
    await button(page, 'Retry').click();
    await dialog(page).getByRole('textbox', { name: 'Tags' }).fill('mail, again');
    await dialog(page).getByRole('textbox', { name: 'Model' }).fill('large');
    await button(page, 'Retry task').click();
    await page.getByText('Retry of').waitFor();
    const same = {
      message: 'Sort the mail',
      input: { box: 5 },
      priority: 3,
      metadata: { by: 'hand' },
      max_attempts: 1,
    };
    const retried = { ...same, tags: ['mail', 'again'], model: 'large', retry_of: lease.task.id };
    expect(await created()).toMatchObject(retried);
    await button(page, 'More actions').click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await dialog(page).getByRole('combobox', { name: 'Agent' }).selectOption('Takes copies');
    await button(page, 'Create task').click();
    await page.waitForURL(`**/console/agents/${other.id}/tasks/*`);
    await page.getByText('Retry of').waitFor({ state: 'detached' });
    expect(await created()).toMatchObject({ ...retried, agent_id: other.id, retry_of: null });
  });

  test('does not save over what others have changed', async () => {
    const agent = await site.api.createAgent();
    const task = await site.api.createTask(agent.id, { message: 'Before', metadata: { kept: true } });
    const page = await site.visit(taskPage(task), { as: 'admin', allow: [/412/] });
    await button(page, 'Edit').click();
    await dialog(page).getByRole('textbox', { name: 'Message' }).fill('After');
    await button(page, 'Save').click();
    await untilClosed(page);
    await page.getByRole('heading', { name: 'After', exact: true }).waitFor();
    expect((await site.api.get(pathOf(task))).json).toMatchObject({ message: 'After', metadata: { kept: true } });
    await button(page, 'Edit').click();
    await dialog(page).waitFor();
    expectStatus(await site.api.call('PUT', pathOf(task), { body: { message: 'Theirs' } }), 200);
    await button(page, 'Save').click();
    await dialog(page).getByText('Somebody else has changed it').waitFor();
    expect((await site.api.get(pathOf(task))).json).toMatchObject({ message: 'Theirs' });
  });

  test('shows its progress and its result as they come, and retries it with another input', async () => {
    const lease = await run({ message: 'Add the numbers', input: { numbers: [1, 2] } });
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    expectStatus(await site.api.heartbeat(lease, { progress: { percent: 50, message: 'Half of them' } }), 200);
    await page.getByText('Half of them').waitFor();
    expectStatus(await site.api.report(lease, { result: { sum: 3 } }), 200);
    await page.getByRole('region', { name: 'Result' }).getByText('sum').waitFor();
    await button(page, 'More actions').click();
    await button(page, 'Retry').click();
    await dialog(page).getByRole('textbox', { name: 'Input' }).fill('{"numbers": [3]}');
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Retry task').click();
    await page.getByText('Retry of').waitFor();
    const retry = (await site.api.get(new URL(page.url()).pathname.replace('/console', ''))).json as Task;
    expect(retry).toMatchObject({ message: 'Add the numbers', input: { numbers: [3] }, retry_of: lease.task.id });
  });

  test('says that it was deleted while it is open', async () => {
    const lease = await run({ message: 'Not for long' });
    const page = await site.visit(taskPage(lease.task), { as: 'admin', allow: [/404/] });
    expectStatus(await site.api.call('DELETE', pathOf(lease.task)), 204);
    await page.getByText('This task was deleted').waitFor();
    expect(await button(page, 'Cancel task').count()).toBe(0);
  });
}

function specifyLog(site: Site): void {
  const log = async ({ id, token }: Lease, from: number, count: number) => {
    const entries = Array.from({ length: count }, (_, at) => ({ text: `line ${from + at};` }));
    expectStatus(await site.api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
  };

  test('shows the colours of the output of programs, and leaves nothing hidden', async () => {
    const agent = await site.api.createAgent();
    const lease = await site.api.createRunning(agent.id);
    const text =
      '\u001b[1;32m✓\u001b[0m 12 passed\u001b[K, \u001b[38;5;1m3 failed\u001b[39m \u001b[8mnot hidden\u001b]0;';
    expectStatus(
      await site.api.call('POST', `/leases/${lease.id}/log-entries`, {
        body: { token: lease.token, entries: [{ text }] },
      }),
      204,
    );
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    const line = page.locator('.log-text').first();
    await line.waitFor();
    expect(await line.textContent()).toBe('✓ 12 passed, 3 failed not hidden␛]0;');
    expect(await line.locator('[data-tone=ok]').textContent()).toBe('✓');
    expect(await line.locator('[data-tone=error]').textContent()).toBe('3 failed');
    expect(await findViolations(page)).toEqual([]);
  });

  test('saves all lines, links to one of them, and shows one attempt', async () => {
    const agent = await site.api.createAgent();
    const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
    const first = await site.api.createRunning(agent.id, { max_attempts: 2, retry_policy });
    for (let from = 1; from <= 700; from += 100) await log(first, from, 100);
    expectStatus(await site.api.report(first, { status: 'failed' }), 200);
    await log(await site.api.lease(agent.id), 701, 5);
    const page = await site.visit(`${taskPage(first.task)}#log-40`, { as: 'admin' });
    await page.locator('#log-40:target').waitFor();
    expect(await page.locator('#log-40').boundingBox()).toMatchObject({ y: expect.any(Number) });
    const download = page.waitForEvent('download');
    await button(page, 'Download').click();
    const saved = await text(await (await download).createReadStream());
    expect(saved.split('\n').map((line) => line.slice(25))).toEqual([
      ...Array.from({ length: 705 }, (_, at) => `info - line ${at + 1};`),
      '',
    ]);
    await page.getByRole('combobox', { name: 'Attempt' }).selectOption('Attempt 2');
    await page.getByText('line 700;').waitFor({ state: 'detached' });
    expect(await page.locator('.log-text').allTextContents()).toEqual(
      [701, 702, 703, 704, 705].map((n) => `line ${n};`),
    );
    expect(await page.locator('.attempt-mark:has(+ #log-701)').allTextContents()).toEqual(['Attempt 2']);
    expect(await findViolations(page)).toEqual([]);
  });

  test('shows lines as they come, earlier ones on demand, and stands still while one points at them', async () => {
    const agent = await site.api.createAgent();
    const lease = await site.api.createRunning(agent.id);
    for (let from = 1; from <= 1_000; from += 100) await log(lease, from, 100);
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    await page.getByText('line 1000;').waitFor();
    await page.getByRole('log').hover();
    await log(lease, 1_001, 50);
    await button(page, '50 newer · Jump to newest').waitFor();
    expect(await page.getByText('line 1001;').count()).toBe(0);
    for (const [first, count] of [
      [601, 400],
      [501, 500],
      [201, 800],
    ] as const) {
      await page.locator('[data-entry]').first().scrollIntoViewIfNeeded();
      await button(page, 'Show earlier').click();
      await page.getByText(`line ${first};`, { exact: true }).waitFor({ state: 'attached' });
      expect(await page.locator('[data-entry]').count()).toBe(count);
    }
    await button(page, /Jump to newest$/).click();
    await page.getByText('line 1050;').waitFor();
    await page.getByRole('searchbox', { name: 'Filter lines' }).fill('line 10;');
    await page.getByText('line 1050;').waitFor({ state: 'detached' });
    expect(await page.locator('[data-entry]').count()).toBe(1);
  });
}
