import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Agent } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { createTask, untilLive, untilQuery } from './support/actions.ts';
import { findViolations } from './support/axe.ts';
import { describePages, type Site } from './support/site.ts';

if (!CONTROLS_PROCESSES) logOmittedTests('overview, agents and workers in the browser');
else
  await describePages(
    'The console',
    (site) => {
      describe('of an empty fleet', () => specifyFirstSteps(site));
      describe('on the page of an agent', () => specifyAgent(site));
      describe('in the list of agents', () => specifyAgents(site));
      describe('on the overview and the page of the workers', () => specifyFleet(site));
    },
    { fleet: () => ({}) },
  );

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const agentPage = ({ id }: Agent) => `/console/agents/${id}`;
const untilClosed = (page: Page) => dialog(page).waitFor({ state: 'detached' });
const untilTitle = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

function specifyFirstSteps(site: Site): void {
  test('says what to do first, with commands for this fleet, and creates the first agent', async () => {
    const page = await site.visit('/console', { as: 'admin' });
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    const commands = await page.locator('.steps pre').allTextContents();
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(command).toContain(`--url ${site.origin}`);
    await button(page, 'Create agent').click();
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('The first one');
    await button(page, 'Next').click();
    await dialog(page).getByRole('textbox', { name: 'Instructions' }).fill('Count **words** only.');
    await dialog(page).getByText('21 B of 64 KiB').waitFor();
    await dialog(page).getByRole('button', { name: 'Create agent' }).click();
    await dialog(page).getByText('No worker takes its tasks yet.').waitFor();
    expect(await dialog(page).locator('pre').textContent()).toContain(`worker --url ${site.origin}`);
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Go to the agent').click();
    await untilTitle(page, 'The first one');
    await page.getByText('No tasks yet').waitFor();
    await page.getByRole('link', { name: 'Definition', exact: true }).click();
    await page.getByRole('region', { name: 'Instructions' }).locator('strong').getByText('words').waitFor();
  });

  test('warns of an agent with the same name', async () => {
    await site.api.createAgent({ name: 'Twice' });
    const page = await site.visit('/console/agents', { as: 'admin' });
    await button(page, 'Create agent').click();
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Twice');
    await dialog(page).getByText('There is an agent “Twice” already').waitFor();
  });

  test('shows how to start a worker while there is none', async () => {
    const page = await site.visit('/console/workers', { as: 'admin' });
    await page.getByText('No worker has been seen in the last hour').waitFor();
    expect(await page.locator('main pre').first().textContent()).toContain(`worker --url ${site.origin}`);
  });
}

function specifyAgent(site: Site): void {
  test('pauses it with a reason that others see, and resumes it', async () => {
    const agent = await site.api.createAgent({ name: 'Paused in a page' });
    const [page, other] = [
      await site.visit(agentPage(agent), { as: 'admin' }),
      await site.visit(agentPage(agent), { as: 'admin' }),
    ];
    await button(page, 'Pause').click();
    await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('The model is down');
    await button(page, 'Pause agent').click();
    await untilClosed(page);
    for (const one of [page, other]) await one.getByRole('status').filter({ hasText: 'The model is down' }).waitFor();
    await button(page, 'Resume').click();
    for (const one of [page, other]) await button(one, 'Pause').waitFor();
  });

  test('does not save over what others have changed, unless one says so', async () => {
    const agent = await site.api.createAgent({ name: 'Edited by two' });
    const page = await site.visit(agentPage(agent), { as: 'admin' });
    await button(page, 'Edit').click();
    const name = dialog(page).getByRole('textbox', { name: 'Name' });
    await name.fill('Mine');
    const body = { name: 'Theirs', type: agent.type };
    expectStatus(await site.api.call('PUT', `/agents/${agent.id}`, { body }), 200);
    await button(page, 'Save').click();
    await dialog(page).getByText('It is now “Theirs”').waitFor();
    expect((await site.api.readAgent(agent.id)).name).toBe('Theirs');
    await button(page, 'Load their version').click();
    expect(await name.inputValue()).toBe('Theirs');
    await name.fill('Ours');
    await button(page, 'Save over it').click();
    await untilTitle(page, 'Ours');
  });

  test('keeps the versions of its definition, shows what is different, and goes back', async () => {
    const agent = await site.api.createAgent({ name: 'Defined' });
    const put = async (body: object) =>
      expectStatus(
        await site.api.call('PUT', `/agents/${agent.id}/definition`, { body }),
        body && 'note' in body ? 200 : 201,
      );
    await put({ instructions: 'Read.\nWrite.', model: 'one' });
    const page = await site.visit(`${agentPage(agent)}?part=definition`, {
      as: 'admin',
      width: 390,
      allow: [/400|412/],
    });
    await button(page, 'Edit definition').click();
    const type = (label: string, text: string) => dialog(page).getByRole('textbox', { name: label }).fill(text);
    await type('Instructions', 'Read.\nThink.\nWrite.');
    await type('Output schema', '{');
    await dialog(page).getByText('This is not JSON').waitFor();
    await type('Output schema', '');
    await type('Allowed', 'Read\nBash(');
    await button(page, 'Save').click();
    await dialog(page).getByText('Line 2 must be Tool, or Tool(pattern).').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await type('Allowed', 'Read');
    await put({ instructions: 'Theirs', model: 'two', note: 'Meanwhile' });
    await button(page, 'Save').click();
    await dialog(page)
      .getByText(/^It is version 2 now by .+: Meanwhile\.$/)
      .waitFor();
    expect(await dialog(page).getByRole('textbox', { name: 'Instructions' }).inputValue()).toContain('Think.');
    await button(page, 'Save over it').click();
    await page.getByRole('heading', { name: 'Version 3, which new tasks have' }).waitFor();
    await page.getByRole('link', { name: '1', exact: true }).click();
    const changes = page.getByRole('region', { name: 'From version 1 to 3' });
    await changes.getByText('+Think.').waitFor();
    await page.getByRole('link', { name: 'Compare with version 2' }).click();
    await page.getByRole('region', { name: 'From version 1 to 2' }).getByText('-one').waitFor();
    await button(page, 'Go back to 1').click();
    await button(page, 'Save').click();
    await untilClosed(page);
    await page.getByText('Back to version 1').waitFor();
    const { json } = await site.api.get(`/agents/${agent.id}/definition`);
    expect(json).toMatchObject({ version: 4, instructions: 'Read.\nWrite.', model: 'one', permissions: null });
    const task = await site.api.createTask(agent.id);
    await put({ model: 'three', note: 'Newer than the task' });
    await page.goto(`${agentPage(agent)}/tasks/${task.id}`);
    await page.getByRole('region', { name: 'Changed in version 5' }).getByText('+three').waitFor();
    await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: '4', exact: true }).waitFor();
    // The overview of a later test says of which types nobody takes tasks.
    expectStatus(await site.api.cancel(task), 200);
  });

  test('saves although only its status has changed meanwhile', async () => {
    const agent = await site.api.createAgent({ name: 'Edited while it works' });
    const page = await site.visit(agentPage(agent), { as: 'admin' });
    await button(page, 'Edit').click();
    await site.api.createRunning(agent.id);
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Renamed while it works');
    await button(page, 'Save').click();
    await untilTitle(page, 'Renamed while it works');
  });

  test('says how many tasks go with it before it is deleted, and that it is gone after that', async () => {
    const agent = await site.api.createAgent({ name: 'Deleted in a page' });
    await site.api.createTasks(agent.id, 2);
    await site.api.createRunning(agent.id);
    // What a page reads after an event, such as that a task was stopped, may find that the agent is gone.
    const options = { as: 'admin', allow: [new RegExp(`404.*/agents/${agent.id}`)] } as const;
    const [page, other] = [await site.visit(agentPage(agent), options), await site.visit(agentPage(agent), options)];
    // A page reads the agent again when its stream opens, which would find nothing after the deletion.
    for (const each of [page, other]) await untilLive(each);
    await button(page, 'Delete').click();
    await dialog(page).getByText('3 tasks are deleted with it, of which 1 is running and will be stopped.').waitFor();
    await button(page, 'Delete agent').click();
    await untilTitle(page, 'Agents');
    await untilTitle(other, 'Agent deleted');
  });

  test('shows its tasks, times and events', async () => {
    const agent = await site.api.createAgent({ name: 'Busy' });
    const lease = await site.api.createRunning(agent.id, { message: 'Write the notes' });
    expectStatus(await site.api.report(lease, { result: 1 }), 200);
    const page = await site.visit(agentPage(agent), { as: 'admin' });
    await page.getByRole('link', { name: 'Write the notes' }).waitFor();
    await page.getByRole('slider', { name: 'Throughput over time' }).waitFor();
    await page.getByRole('region', { name: 'Newest events' }).getByText('Task completed').waitFor();
    await button(page, '24 h').click();
    await untilQuery(page, /window=86400/);
    await createTask(page, 'Write more notes');
  });
}

function specifyAgents(site: Site): void {
  test('is paged by the cursors that the API links', async () => {
    for (const name of ['Paged once', 'Paged twice']) await site.api.createAgent({ name });
    const page = await site.visit('/console/agents?paused=false&limit=1', { as: 'admin' });
    await page.getByText(/^1–1 of/).waitFor();
    const [first] = await page.locator('[data-row]').allTextContents();
    await page.getByRole('link', { name: 'Next', exact: true }).click();
    await untilQuery(page, /after=/);
    await page.getByText(/^2–2 of/).waitFor();
    await page.locator('[data-row]').filter({ hasNotText: first }).waitFor();
    await page.getByRole('link', { name: 'Previous', exact: true }).click();
    await page.locator('[data-row]').filter({ hasText: first }).waitFor();
    await untilQuery(page, '?paused=false&limit=1');
  });

  test('opens the agent that one has pressed, although the list is loaded again before the release', async () => {
    const agent = await site.api.createAgent({ name: 'Pressed' });
    const page = await site.visit('/console/agents?paused=false', { as: 'admin' });
    await untilLive(page);
    const pressed = page.getByRole('link', { name: 'Pressed' });
    const press = async (change: () => Promise<unknown>) => {
      await pressed.hover();
      await page.mouse.down();
      const loaded = page.waitForResponse((response) => response.url().includes('/agents?paused=false'));
      await change();
      await (await loaded).finished();
      // What the answer changes would be there.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      await page.mouse.up();
      await untilTitle(page, 'Pressed');
      await page.goBack();
    };
    await press(() => site.api.createAgent({ name: 'Came between' }));
    await page.getByRole('link', { name: 'Came between' }).waitFor();
    await press(async () => expectStatus(await site.api.call('PUT', `/agents/${agent.id}/pause`), 200));
    await pressed.waitFor({ state: 'detached' });
  });

  test('is searched as one types, and the statuses of what is found are counted', async () => {
    for (const name of ['Reads Ärgernis', 'reads ärgernis twice', 'Reads nothing'])
      await site.api.createAgent({ name });
    const page = await site.visit('/console/agents', { as: 'admin' });
    await page.keyboard.press('/');
    await page.keyboard.type('ÄRGER read');
    await page.getByText('2 agents', { exact: true }).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(2);
    await page.getByText('Idle2', { exact: true }).waitFor();
  });

  test('changes an agent by the menu of its row', async () => {
    await site.api.createAgent({ name: 'Resumed in a list' });
    const page = await site.visit('/console/agents', { as: 'admin' });
    const row = page.getByRole('row').filter({ hasText: 'Resumed in a list' });
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'Actions for Resumed in a list' }).click();
      await row.getByRole('button', { name: action, exact: true }).click();
    };
    await choose('Pause…');
    await button(page, 'Pause agent').click();
    await row.getByText('paused', { exact: true }).waitFor();
    await choose('Resume');
    await row.getByText('paused', { exact: true }).waitFor({ state: 'detached' });
  });

  test('offers a viewer nothing that would be refused', async () => {
    const viewer = await site.api.accounts.create('viewer');
    const page = await site.visit('/console/agents', { as: viewer });
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('button', { name: /Create agent|Actions for/ }).count()).toBe(0);
  });
}

function specifyFleet(site: Site): void {
  test('says which tasks no worker takes, and how to start one for the present type of their agent', async () => {
    const agent = await site.api.createAgent({ name: 'Nobody serves it', type: 'gpt' });
    await site.api.createTask(agent.id);
    const body = { name: agent.name, type: 'gemini' };
    expectStatus(await site.api.call('PUT', `/agents/${agent.id}`, { body }), 200);
    const page = await site.visit('/console', { as: 'admin' });
    await page.getByText('No worker takes gemini').waitFor();
    await page.getByText('No worker takes tasks of this agent').waitFor();
    await button(page, 'Start a worker').click();
    expect(await dialog(page).locator('pre').first().textContent()).toMatch(/ --runtime gemini$/);
    await page.keyboard.press('Escape');
    await page.locator('.figure').filter({ hasText: 'Pending' }).click();
    await untilTitle(page, 'Tasks');
    await untilQuery(page, /status=pending/);
  });

  test('holds the live events under the pointer', async () => {
    const agent = await site.api.createAgent({ name: 'Heard of' });
    const page = await site.visit('/console', { as: 'admin' });
    await untilLive(page);
    const events = page.getByRole('region', { name: 'Newest events' });
    await events.getByText('Heard of').first().waitFor();
    await events.hover();
    const before = await events.getByRole('listitem').allTextContents();
    await site.api.createTask(agent.id);
    await page.getByText('Held · 1 newer').waitFor();
    expect(await events.getByRole('listitem').allTextContents()).toEqual(before);
    await page.mouse.move(0, 0);
    await page.getByText('Held ·').waitFor({ state: 'detached' });
    expect(await events.getByRole('listitem').first().textContent()).toContain('Task created');
  });

  test('shows the workers, and what each of them holds', async () => {
    const agent = await site.api.createAgent({ name: 'Served' });
    await site.api.createRunning(agent.id, { message: 'Held by one' }, { worker_id: 'worker-one' });
    await site.api.createRunning(agent.id, { message: 'Held by two' }, { worker_id: 'worker-two' });
    const page = await site.visit('/console/workers', { as: 'admin' });
    const leases = page.getByRole('region', { name: 'Leases' });
    for (const message of ['Held by one', 'Held by two']) await leases.getByRole('link', { name: message }).waitFor();
    await page.route(/\/workers\?/, async (route) => {
      const response = await route.fetch();
      const workers = (await response.json()) as { worker_id: string }[];
      const lost = { leases: 0, polling: false, last_seen_at: new Date(Date.now() - 301_000).toISOString() };
      const json = workers.map((worker) => (worker.worker_id === 'worker-two' ? { ...worker, ...lost } : worker));
      await route.fulfill({ response, json });
    });
    await page.getByRole('row').filter({ hasText: 'worker-two' }).getByText('lost').first().waitFor();
    await page.getByRole('link', { name: 'worker-one' }).click();
    await leases.getByText('Held by two').waitFor({ state: 'detached' });
    await untilQuery(page, /worker_id=worker-one/);
    await leases.getByRole('link', { name: 'Held by one' }).click();
    await untilTitle(page, 'Held by one');
  });

  test('pages what a worker holds by a cursor where the API links one', async () => {
    const agent = await site.api.createAgent({ name: 'Held in pages' });
    const hold = (message: string) => site.api.createRunning(agent.id, { message }, { worker_id: 'worker-paged' });
    const { task } = await hold('Held first');
    await hold('Held second');
    const page = await site.newPage({ as: 'admin' });
    await page.route(/worker_id=worker-paged.*&limit=50/, async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('limit=50', 'limit=1') });
      const { link = '', ...headers } = response.headers();
      await route.fulfill({ response, headers: { ...headers, link: link.replace('skip=1', `after=${task.id}`) } });
    });
    await page.goto('/console/workers?worker_id=worker-paged');
    const leases = page.getByRole('region', { name: 'Leases' });
    const pages = page.getByRole('navigation', { name: 'Pages of running tasks' });
    await leases.getByRole('link', { name: 'Held first' }).waitFor();
    await pages.getByRole('link', { name: 'Next' }).click();
    await untilQuery(page, `?worker_id=worker-paged&lease_skip=50&lease_after=${task.id}`);
    await leases.getByRole('link', { name: 'Held second' }).waitFor();
    await pages.getByRole('link', { name: 'First page' }).click();
    await leases.getByRole('link', { name: 'Held first' }).waitFor();
    await untilQuery(page, '?worker_id=worker-paged');
  });
}
