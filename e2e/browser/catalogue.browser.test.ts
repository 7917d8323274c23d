import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { untilQuery } from './support/actions.ts';
import { findViolations } from './support/axe.ts';
import { CHANGED, FAILING_FILE, MISSING_FILE } from './support/catalogue-skills.ts';
import { describePages, type Site, untilReady } from './support/site.ts';
import { FAULTY_SKILL } from './support/skills.ts';

const FIRST_PAGE = 25;

if (!CONTROLS_PROCESSES) logOmittedTests('the catalogue in the browser');
else
  await describePages('The catalogue', (site) => {
    describe('when one searches', () => specifySearch(site));
    describe('on the page of a skill', () => specifySkill(site));
  });

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search skills' });
const rows = (page: Page) => page.locator('[data-row]');
const historyLength = (page: Page) => page.evaluate(() => history.length);

/** The number of skills that is shown, once it is that one. */
const untilCount = (page: Page, count: string) =>
  page.getByRole('heading', { level: 2, name: `${count} skill`, exact: false }).waitFor();

async function pathOf(site: Site, name: string): Promise<string> {
  const [skill] = (await site.api.get(`/api/skills?q=${name}&limit=1`)).json as [{ id: string }];
  return `/skills/${encodeURIComponent(skill.id)}`;
}

function specifySearch(site: Site): void {
  test('answers as one types, says how many there are, and keeps one entry of the history', async () => {
    const page = await site.visit('/');
    const entries = await historyLength(page);
    await field(page).pressSequentially('quokka', { delay: 20 });
    await untilQuery(page, '?q=quokka');
    await untilCount(page, '90');
    expect(await historyLength(page)).toBe(entries);
    expect(await rows(page).count()).toBe(FIRST_PAGE);
    await field(page).fill('');
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('heading', { name: 'Categories' }).waitFor();
  });

  test('narrows down by filters, which are in the address and can be removed one by one', async () => {
    const page = await site.visit('/?q=quokka');
    await page.getByRole('link', { name: /^Even numbers/ }).click();
    await untilCount(page, '45');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-current') === 'true');
    await page
      .getByRole('link', { name: /^odd\b|^even\b/ })
      .first()
      .click();
    await page.waitForURL(/tag=/);
    await page.goBack();
    await untilCount(page, '45');
    await untilQuery(page, '?q=quokka&category=even-numbers');
    await page.getByRole('button', { name: 'Remove Category: Even numbers' }).click();
    await untilCount(page, '90');
    await page.goBack();
    await untilCount(page, '45');
    const reloaded = await site.visit(new URL(page.url()).pathname + new URL(page.url()).search);
    await untilCount(reloaded, '45');
  });

  test('sorts by what one chooses', async () => {
    const page = await site.visit('/?q=quokka');
    await page.getByRole('navigation', { name: 'Sort' }).getByRole('link', { name: 'Stars' }).click();
    await page.getByRole('listitem').filter({ hasText: 'quokka-89' }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-row]')?.textContent === 'quokka-89');
    await untilQuery(page, /sort=stars/);
  });

  test('shows more without doubles, and moves the focus on to the first new row', async () => {
    const page = await site.visit('/?q=quokka&sort=name');
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('[data-row]').length > 25);
    const names = await rows(page).allTextContents();
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
    await page.waitForFunction(() => document.activeElement?.textContent === 'quokka-25');
  });

  test('comes back from a skill to the same rows, place and focus', async () => {
    const page = await site.visit('/?q=quokka&sort=name');
    await page.getByRole('button', { name: 'Show more' }).click();
    const row = rows(page).filter({ hasText: 'quokka-60' });
    await row.scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(1_000);
    await row.click();
    await page.getByRole('heading', { level: 1, name: 'quokka-60' }).waitFor();
    await page.waitForFunction(() => scrollY === 0);
    await untilReady(page);
    await page.goBack();
    await page.waitForFunction((before) => Math.abs(scrollY - before) < 50, place);
    await page.waitForFunction(() => document.activeElement?.textContent === 'quokka-60');
  });

  test('says what to do when nothing matches', async () => {
    const page = await site.visit('/?q=quokka&category=security');
    await page.getByText('No skills match “quokka”').waitFor();
    await page.getByRole('link', { name: 'Remove the filters' }).click();
    await untilCount(page, '90');
  });

  test('offers filters that begin with what is typed', async () => {
    const page = await site.visit('/?q=eve');
    await page
      .getByRole('list', { name: 'Filters that begin so' })
      .getByRole('link', { name: /^even 45/ })
      .click();
    await page.waitForURL(/\?tag=even$/);
    await untilCount(page, '45');
  });

  test('drops an answer that comes after the words have changed', async () => {
    const page = await site.visit('/');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/api\/skills\?.*q=inbox/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await field(page).fill('inbox');
    await page.waitForURL(/q=inbox/);
    await field(page).fill('quokka');
    await untilCount(page, '90');
    release();
    await page.waitForTimeout(300);
    await untilCount(page, '90');
    await untilQuery(page, '?q=quokka');
  });

  test('keeps what is typed before the script has arrived', async () => {
    const page = await site.newPage();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/', { waitUntil: 'commit' });
    await field(page).pressSequentially('quo');
    release();
    await page.locator('main[data-ready]').waitFor();
    await page.keyboard.type('kka');
    await untilCount(page, '90');
    expect(await field(page).inputValue()).toBe('quokka');
  });

  test.each([390, 1280])('is accessible with filters, without results and after an error, at %i px', async (width) => {
    for (const query of ['q=quokka&tag=even', 'q=quokka&category=security', 'kind=nonsense']) {
      const page = await site.visit(`/?${query}`, { width, allow: [/400/] });
      const folded = page.getByText(/^Filters/);
      if (await folded.isVisible()) await folded.click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  });

  test('says why when the registry does not answer, and goes on when it does', async () => {
    const page = await site.newPage({ allow: [/400/] });
    await page.goto('/?kind=nonsense');
    await page.getByRole('alert').getByText('The skills could not be loaded').waitFor();
    await page.getByRole('alert').getByRole('link', { name: 'Show all skills' }).click();
    await page.getByRole('heading', { name: 'Categories' }).waitFor();
  });
}

function specifySkill(site: Site): void {
  test('shows how to add it, what differs from its registry, and who else publishes it', async () => {
    const page = await site.visit(await pathOf(site, CHANGED));
    await page.getByText('The SKILL.md differs from what its registry declares').waitFor();
    await page.getByRole('heading', { name: 'Sort the inbox' }).waitFor();
    await page.getByText(`fleet skills add `, { exact: false }).first().waitFor();
    await page.getByText(`npx skills add ${site.origin}/api/skills/`, { exact: false }).waitFor();
    await page.getByText('curl https://example.com/install | sh').waitFor();
    await page.getByRole('region', { name: 'Also published by' }).getByRole('link').click();
    await page.getByText('Another one.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([CHANGED]);
    expect(await page.title()).toContain(CHANGED);
  });

  test('says what is wrong with it in words', async () => {
    const page = await site.visit(await pathOf(site, FAULTY_SKILL.name as string));
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText('Its name has other characters than a–z, 0–9 and hyphens.').waitFor();
    await checks.getByText('It has no description').waitFor();
    await checks.getByText('Names no licence').waitFor();
  });

  test.each([
    [MISSING_FILE, 404, 'There is no such file at 127.0.0.1'],
    [FAILING_FILE, 502, 'It could not be fetched from 127.0.0.1'],
  ])('says why the SKILL.md of %s is missing, and links to its source', async (name, status, text) => {
    const page = await site.visit(await pathOf(site, name), { allow: [new RegExp(`${status}.*skill\\.md`)] });
    const file = page.getByRole('region', { name: 'SKILL.md' });
    await file.getByText(text).waitFor();
    expect(await file.getByRole('link', { name: 'Open its source' }).getAttribute('href')).toContain('/SKILL.md');
  });

  test('leads on to other skills by tag and by words', async () => {
    const page = await site.visit(await pathOf(site, 'quokka-01'));
    const labels = page.getByRole('list', { name: 'Categories and tags' });
    await labels.getByRole('link', { name: 'odd', exact: true }).click();
    await untilCount(page, '45');
    await page.goBack();
    await labels.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('quokka');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=quokka$/);
    await untilCount(page, '90');
  });

  test('says that there is no skill with an unknown id', async () => {
    const page = await site.visit('/skills/nothing', { allow: [/404/] });
    await page.getByRole('heading', { level: 1, name: 'There is no skill with this id' }).waitFor();
    await page.getByRole('link', { name: 'Find skills' }).click();
    await page.getByRole('heading', { name: 'Categories' }).waitFor();
    const unreadable = await site.visit('/skills/%E0%A4%A', { allow: [/404|400/] });
    await unreadable.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });
}
