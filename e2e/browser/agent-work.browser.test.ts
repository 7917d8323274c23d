import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Task } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';
import { openTaskId } from './support/actions.ts';
import { PATCH } from './support/agent-work/patches.ts';
import {
  type AgentWork,
  createCompleted,
  OPTIONS,
  QUESTION,
  RESULT,
  seedAgentWork,
  USED,
} from './support/agent-work/results.ts';
import { findViolations } from './support/axe.ts';
import { taskPage } from './support/seed.ts';
import { describePages, type Site, untilReady } from './support/site.ts';
import { expectWellMade } from './support/well-made.ts';

/** Runs in the page. */
const besides = (element: Element) => element.nextElementSibling?.textContent;
const WIDTHS = [390, 1280] as const;

let seed: AgentWork;

await describePages(
  'The work of agents',
  (site) => {
    describe('on pages', () => specifyPages(site));
    describe('its usage', () => specifyUsage(site));
    describe('on the page of a task', () => {
      specifyResult(site);
      specifyContinue(site);
    });
    describe('in the form of a task', () => specifyForm(site));
  },
  {
    async prepare({ api }) {
      seed = await seedAgentWork(api);
    },
  },
);

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

function specifyPages(site: Site): void {
  const paths: [string, () => string, RegExp][] = [
    ['agent-work-completed', () => taskPage(seed.completed), /\$0\.0604 \(estimated\)/],
    ['agent-work-question', () => taskPage(seed.question), /^input_required$/],
  ];
  for (const [name, path, shown] of paths) {
    test.each(WIDTHS)(`${name} is accessible and fits at %i px in light and dark`, async (width) => {
      const page = await site.visit(path(), { as: 'admin', width });
      await page.getByText(shown).first().waitFor();
      await untilReady(page);
      await expectWellMade(page, name);
    });
  }
}

function specifyUsage(site: Site): void {
  test('is shown for an attempt as it runs, and summed for its agent and the fleet when it ends', async () => {
    const agent = await site.api.createAgent({ name: 'Spends' });
    const lease = await site.api.createRunning(agent.id);
    const page = await site.visit(taskPage(lease.task), { as: 'admin' });
    const report = (amount: number) => ({ ...USED, model: 'gpt-6', cost: { ...USED.cost, amount, estimated: false } });
    const beat = async (percent: number) =>
      expectStatus(await site.api.heartbeat(lease, { progress: { percent }, ...report(percent) }), 200);
    await beat(10);
    await page.getByRole('list', { name: 'Attempts' }).getByText('$10.00', { exact: true }).waitFor();
    await beat(20);
    await page.getByRole('list', { name: 'Attempts' }).getByText('$20.00', { exact: true }).waitFor();
    expect(await region(page, 'Usage').count()).toBe(0);
    expectStatus(await site.api.report(lease, { result: 1, ...report(1_234.5) }), 200);
    await region(page, 'Usage').getByText('$1,234.50', { exact: true }).waitFor();
    await page.goto(`/console/agents/${agent.id}?part=money`);
    await row(page, 'gpt-6').getByText('128k').waitFor();
    await row(page, 'gpt-6').getByText('$1,234.50').waitFor();
    await page.goto('/console');
    await row(page, 'Spends').getByText('$1,234.50').waitFor();
    await row(page, 'gpt-6').getByText('4.32k').waitFor();
    await row(page, 'Spends').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Spends' }).waitFor();
  });
}

function specifyResult(site: Site): void {
  test('says what was asked for, what it cost, and what the agent answered', async () => {
    const page = await site.visit(taskPage(seed.completed), { as: 'admin' });
    const details = region(page, 'Details');
    expect(await details.getByRole('link', { name: 'code-review' }).getAttribute('href')).toBe('/skills/code-review');
    await details.getByText('sha256:3fa9c0b13fa9…').waitFor();
    await details.getByText('https://git.example/shop/invoices.git').waitFor();
    const usage = region(page, 'Usage');
    await usage.getByText('196,000 of them cached').waitFor();
    await usage.getByText('$2.50 for all attempts').waitFor();
    const attempts = page.getByRole('list', { name: 'Attempts' });
    await attempts.getByText('128,345 tokens in (98,000 cached), 4,321 out (1,024 reasoning)').first().waitFor();
    await attempts.getByText('$0.0081', { exact: true }).waitFor();
    const result = region(page, 'Result');
    await page.getByRole('log').getByRole('heading', { name: 'What I changed' }).waitFor();
    await result.getByText('fixed:').first().waitFor();
    await result.getByText('git push origin release/2.4').waitFor();
    await region(page, 'Output schema').getByText('properties:').waitFor();
  });

  test('shows the patch as it is, opens and closes files by keyboard, and saves it', async () => {
    const page = await site.visit(taskPage(seed.completed), { as: 'admin' });
    const changes = region(page, 'Changes');
    const lines = await changes.locator('.patch-line').allTextContents();
    // Without the headers of git, which the path and the notes of each file say.
    expect(lines).toEqual(PATCH.split('\n').filter((line) => /^(@@|[-+ ](?![-+]{2} ))/.test(line)));
    const keyword = changes.locator('.patch-added [data-tone=info]').first();
    expect(await keyword.textContent()).toBe('export');
    await changes.getByText('renamed from docs/taxes.md').waitFor();
    const added = changes.locator('.patch-added', { hasText: 'const net' });
    expect(await added.evaluate((line) => [line.dataset.before, line.dataset.after])).toEqual([undefined, '16']);
    await changes.getByRole('button', { name: 'Side by side' }).click();
    const pair = changes.locator('.patch-row', { hasText: 'return Math.round(net * rate)' }).locator('.patch-line');
    expect(await pair.count()).toBe(2);
    expect(await changes.locator('.patch-removed').first().evaluate(besides)).toMatch(/^\+export function taxOf/);
    await changes.getByRole('button', { name: 'Side by side' }).click();
    const file = changes.locator('summary').first();
    await file.focus();
    await page.keyboard.press('Enter');
    await added.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await added.waitFor();
    const download = page.waitForEvent('download');
    await changes.getByRole('button', { name: 'Download' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(`task-${seed.completed.id}.patch`);
    expect(await text(await saved.createReadStream())).toBe(PATCH);
  });

  test('renders the text of any worker as Markdown, and shows what is beside it', async () => {
    const agent = await site.api.createAgent({ name: 'Has no session' });
    const result = { text: '# Ready\n\n```py\nreturn 7  # seven\n```', boxes: 12 };
    const page = await site.visit(taskPage(await createCompleted(site.api, agent.id, result)), { as: 'admin' });
    await page.getByRole('log').getByRole('heading', { name: 'Ready' }).waitFor();
    expect(await page.locator('code .muted').textContent()).toBe('# seven');
    await region(page, 'Result').getByText('boxes:').waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test('lists the files that the patch does not have', async () => {
    const files = [
      { path: 'src/invoices/rounding.ts', status: 'modified', added: 5, removed: 2 },
      { path: 'data/large.csv', status: 'added', added: 90_000, removed: 0 },
    ];
    for (const [patch, shown] of [
      [PATCH, '5 files'],
      ['', '2 files'],
    ] as const) {
      const changes = { patch, patch_truncated: true, files };
      const task = await createCompleted(site.api, (await site.api.createAgent()).id, { ...RESULT, changes });
      const page = await site.visit(taskPage(task), { as: 'admin' });
      await region(page, 'Changes').getByText(shown).waitFor();
      await region(page, 'Changes').getByText('+90,000', { exact: true }).waitFor();
      await region(page, 'Changes').getByText('some of it is missing').waitFor();
    }
  });
}

function specifyContinue(site: Site): void {
  const opened = async (page: Page, task: Task) => {
    const path = `/agents/${task.agent_id}/tasks/${openTaskId(page)}`;
    return (await site.api.get(path)).json as Task;
  };

  test('answers the question of a task that has ended, by keyboard alone, with the options of the task', async () => {
    const page = await site.visit(taskPage(seed.question), { as: 'admin' });
    await region(page, 'State').getByText(QUESTION).waitFor();
    await page.getByRole('textbox', { name: 'Continue' }).focus();
    await page.keyboard.type('Only those from now on.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await region(page, 'Details').getByRole('link', { name: seed.question.id }).waitFor();
    await page.waitForURL((url) => !url.pathname.includes(seed.question.id));
    await page.getByText('Waiting for the worker that has its session').waitFor();
    const { workspace, ...options } = OPTIONS;
    expect(await opened(page, seed.question)).toMatchObject({
      message: 'Only those from now on.',
      continue_of: seed.question.id,
      retry_of: null,
      tags: ['books'],
      workspace,
      ...options,
    });
  });

  test('continues a completed task; both are on one page', async () => {
    const page = await site.visit(taskPage(seed.completed), { as: 'admin' });
    await page.getByRole('textbox', { name: 'Continue' }).fill('Now the other taxes');
    await button(page, 'Continue').click();
    await page.waitForURL((url) => !url.pathname.includes(seed.completed.id));
    await page.getByRole('heading', { name: 'Now the other taxes' }).waitFor();
    expect(await opened(page, seed.completed)).toMatchObject({ continue_of: seed.completed.id, input: null });
    await page.getByRole('log').getByRole('heading', { name: 'What I changed' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('log').getByRole('link', { name: 'Open this task' }).click();
    await page.waitForURL((url) => url.pathname.includes(seed.completed.id));
    await page.getByRole('log').getByText('Now the other taxes').waitFor();
  });

  test('offers nothing to those who may only read', async () => {
    const viewer = await site.api.accounts.create('viewer');
    const page = await site.visit(taskPage(seed.question), { as: viewer });
    await page.getByText(QUESTION).first().waitFor();
    for (const name of ['Continue', 'Retry']) expect(await button(page, name).count()).toBe(0);
  });
}

function specifyForm(site: Site): void {
  const open = async (name: string) => {
    const agent = await site.api.createAgent({ name });
    const page = await site.visit(`/console/tasks?agent_id=${agent.id}`, { as: 'admin', width: 390, allow: [/400/] });
    await button(page, 'Create task').first().click();
    await dialog(page).getByRole('textbox', { name: 'Message' }).fill('Review the code');
    await dialog(page).getByText('More', { exact: true }).click();
    const fill = (label: string, text: string) => dialog(page).getByRole('textbox', { name: label }).fill(text);
    const create = () => dialog(page).getByRole('button', { name: 'Create task' }).click();
    return { agent, page, fill, create };
  };

  test('says what is wrong with the agent options, and sends them', async () => {
    const { agent, page, fill, create } = await open('Takes options');
    await fill('Skills', 'code-review sha256:short');
    await fill('Output schema', '[]');
    await fill('Ref', 'main');
    await fill('Maximum cost', 'much');
    await create();
    for (const text of ['Write one id a line', 'Must be a JSON object', 'needs a repository', 'a number above 0']) {
      await dialog(page).getByText(text).waitFor();
    }
    await expectWellMade(page, 'agent-work-form');
    const [one, other] = (await site.api.get('/api/skills?limit=2')).json as [{ id: string }, { id: string }];
    await fill('Skills', `${one.id}\n\n ${other.id}  sha256:${'ab'.repeat(32)} `);
    await fill('Output schema', '{"type": "object"}');
    await fill('Repository', 'https://git.example/shop.git');
    await fill('Model', 'sonnet');
    await fill('Maximum cost', '0.5');
    await create();
    await dialog(page).waitFor({ state: 'detached' });
    const [task] = (await site.api.get(`/tasks?agent_id=${agent.id}`)).json as Task[];
    expect(task).toMatchObject({
      skills: [one.id, { id: other.id, digest: `sha256:${'ab'.repeat(32)}` }],
      workspace: { repository: 'https://git.example/shop.git', ref: 'main' },
      model: 'sonnet',
      output_schema: { type: 'object' },
      max_cost: { amount: 0.5, currency: 'USD' },
    });
  });

  test('shows what the fleet refuses at its field', async () => {
    const { page, fill, create } = await open('Refuses a repository');
    await fill('Repository', 'https://user:secret@git.example/shop.git');
    await create();
    await dialog(page).locator('.field-error[id]').first().waitFor();
  });
}
