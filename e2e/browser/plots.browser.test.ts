import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describePages } from './support/site.ts';

/** With the day where the plot spans more than one. */
const TIME = String.raw`(\d+ \w+, )?\d\d:\d\d`;
/** Run in the page. */
const keepCanvas = () => Object.assign(globalThis, { kept: document.querySelector('canvas') });
const hasKeptCanvas = () => document.querySelector('canvas') === (globalThis as { kept?: unknown }).kept;

await describePages('A plot', (site) => {
  async function visitOverview(): Promise<{ page: Page; plot: Locator; addTask: () => Promise<unknown> }> {
    const agent = await site.api.createAgent();
    const addTask = () => site.api.createTask(agent.id, { message: 'Count the stars' });
    await addTask();
    const page = await site.visit('/console', { as: 'admin' });
    const plot = page.getByRole('slider', { name: 'Throughput over time' });
    await plot.waitFor();
    return { page, plot, addTask };
  }

  test('is read step by step with the keyboard', async () => {
    const { page, plot } = await visitOverview();
    await plot.focus();
    await page.keyboard.press('End');
    const last = await until(() => readValue(plot), {
      message: 'the cursor is at the last step',
      holds: (value) => value.includes('so far'),
    });
    expect(last).toMatch(
      new RegExp(`^${TIME}, so far, Created \\d+, Completed \\d+, Failed \\d+, Input requested \\d+$`),
    );
    await page.keyboard.press('Home');
    const first = await until(() => readValue(plot), {
      message: 'the cursor is at the first step',
      holds: (value) => !value.includes('so far'),
    });
    expect(first).toMatch(new RegExp(`^${TIME}, Created 0, Completed 0, Failed 0, Input requested 0$`));
  });

  test('has its values as a table, too', async () => {
    const { page } = await visitOverview();
    await page.locator('summary', { hasText: 'Show as table' }).first().click();
    const table = page.getByRole('region', { name: 'Throughput as table' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Time',
      'Created',
      'Completed',
      'Failed',
      'Input requested',
    ]);
    expect(await table.getByRole('row').count()).toBeGreaterThan(10);
  });

  test('takes new values into the canvas that is there', async () => {
    const { page, plot, addTask } = await visitOverview();
    await page.evaluate(keepCanvas);
    const before = await readValue(plot);
    await addTask();
    await until(async () => (await readValue(plot)) !== before, { message: 'the plot has the new task' });
    expect(await page.evaluate(hasKeptCanvas)).toBe(true);
  });
});

async function readValue(plot: Locator): Promise<string> {
  return (await plot.getAttribute('aria-valuetext')) ?? '';
}
