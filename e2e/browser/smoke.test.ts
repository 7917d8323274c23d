import { expect, test } from '@jest/globals';
import { findViolations } from './support/axe.ts';
import { PAGES } from './support/page-list.ts';
import { type Seed, seedFleet } from './support/seed.ts';
import { describePages } from './support/site.ts';

let seed: Seed;

/** Some pages; `npm run test:browser` has all of them, in both schemes and widths. */
const SOME = ['catalogue', 'guide', 'sign-in', 'tasks', 'task'];

await describePages(
  'The page',
  (site) => {
    test.each(PAGES.filter(({ name }) => SOME.includes(name)))(
      '$name is accessible',
      async ({ path, heading, isPublic }) => {
        const as = isPublic ? undefined : 'admin';
        const page = await site.visit(path(seed), { as, allow: [/\/skill\.md/] });
        expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading(seed)]);
        expect(await findViolations(page)).toEqual([]);
      },
    );
  },
  {
    async prepare({ api }) {
      seed = await seedFleet(api);
    },
  },
);
