import { expect, test } from '@jest/globals';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import { findViolations } from './support/axe.ts';
import { PAGES } from './support/page-list.ts';
import { type Seed, seedFleet } from './support/seed.ts';
import { describePages } from './support/site.ts';
import { expectWellMade } from './support/well-made.ts';

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
          const page = await site.visit(path(seed), { as, width, allow: ALLOWED });
          expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading(seed)]);
          expect(await page.title()).toContain(heading(seed));
          await expectWellMade(page, name);
        },
      );
    }

    test.each(UNKNOWN)('%s says that there is nothing, and leads on', async (path) => {
      const page = await site.visit(path, { as: 'admin', allow: [/404/] });
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      expect(await page.getByRole('main').getByRole('link').count()).toBeGreaterThan(0);
      expect(await findViolations(page)).toEqual([]);
    });
  },
  {
    async prepare({ api }) {
      seed = await seedFleet(api);
    },
  },
);
