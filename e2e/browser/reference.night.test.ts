import { expect, test } from '@jest/globals';
import { findViolations } from './support/axe.ts';
import { describePages } from './support/site.ts';
import { keepScreenshot } from './support/well-made.ts';

await describePages('The reference of the API', (site) => {
  test.each(['light', 'dark'] as const)('has enough contrast in %s', async (scheme) => {
    const page = await (await site.newContext({ scheme })).newPage();
    await page.goto(`${site.origin}/docs`);
    await page.getByRole('button', { name: 'Create a task' }).first().click();
    await page.getByText('Example Value').first().waitFor();
    await keepScreenshot(page, `docs-${scheme}-1280`);
    // Its markup is Swagger UI's own.
    expect(await findViolations(page, ['color-contrast'])).toEqual([]);
  });
});
