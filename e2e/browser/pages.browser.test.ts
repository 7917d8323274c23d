import { expect, test } from '@jest/globals';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import { findViolations } from './support/axe.ts';
import { PAGES } from './support/page-list.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { type Seed, seedFleet } from './support/seed.ts';
import { describePages } from './support/site.ts';
import type { Scheme } from './support/tabs.ts';
import { expectWellMade } from './support/well-made.ts';

const SCHEMES: readonly Scheme[] = ['light', 'dark'];
const WIDTHS = [390, 1280] as const;
/** Hosts of skills outside of this machine may be away. */
const ALLOWED = CONTROLS_PROCESSES ? [] : [/\/skill\.md/];
const UNKNOWN = ['/skills/missing', '/console/missing', '/console/agents/missing', '/console/agents/missing/tasks/x'];

let seed: Seed;

await describePages(
  'The page',
  (site) => {
    for (const { name, path, heading, isPublic } of PAGES) {
      test.each(WIDTHS)(
        `${name} is accessible, fits and keeps its policy at %i px in light and dark`,
        async (width) => {
          const as = isPublic ? undefined : 'admin';
          const tab = `${width} px ${as}`;
          const page = await site.visit(path(seed), { as, width, allow: ALLOWED, tab });
          expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading(seed)]);
          expect(await page.title()).toContain(heading(seed));
          await expectWellMade(page, name);
        },
      );
    }

    test.each(UNKNOWN)('%s says that there is nothing, and leads on', async (path) => {
      const page = await site.visit(path, { as: 'admin', allow: [/404/], tab: 'unknown' });
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      expect(await page.getByRole('main').getByRole('link').count()).toBeGreaterThan(0);
      expect(await findViolations(page)).toEqual([]);
    });

    test.each(SCHEMES)('the reference of the API has enough contrast in %s', async (colorScheme) => {
      const page = await (await site.newContext({})).newPage();
      await page.emulateMedia({ colorScheme });
      await page.goto(`${site.origin}/docs`);
      await page.getByRole('button', { name: 'Create a task' }).first().click();
      await page.getByText('Example Value').first().waitFor();
      await keepScreenshot(page, `docs-${colorScheme}-1280`);
      // Its markup is Swagger UI's own.
      expect(await findViolations(page, ['color-contrast'])).toEqual([]);
    });
  },
  {
    async prepare({ api }) {
      seed = await seedFleet(api);
    },
  },
);
