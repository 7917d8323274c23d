import type { Locator, Page } from 'playwright-core';
import type { Account } from '../../harness/accounts.ts';

/** Fills in the form that is shown in the place of each page of the console. */
export async function signInByForm(
  page: Page,
  { email, password }: Pick<Account, 'email' | 'password'>,
): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByText('Sign out', { exact: true }).click();
}

/** On the page of an agent: creates a task by its dialog, and opens its page. */
export async function createTask(page: Page, message: string): Promise<void> {
  await page.getByRole('button', { name: 'Create task' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Message' }).fill(message);
  await dialog.getByRole('button', { name: 'Create task' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('link', { name: message }).first().click();
  await page.waitForURL(TASK_PAGE);
}

/** The state of the shared event stream, as the header shows it. */
export async function untilLive(page: Page): Promise<void> {
  await page.getByRole('status').filter({ hasText: /Live/ }).waitFor({ timeout: 60_000 });
}

/** Text such as a status that is seen on the page now; case does not matter. */
export function shown(page: Page, text: string): Locator {
  return page
    .getByRole('main')
    .getByText(new RegExp(`^${text}$`, 'i'))
    .filter({ visible: true })
    .first();
}

const TASK_PAGE = /\/agents\/[^/]+\/tasks\/([^/?#]+)/;

/** The id of the task whose page is open. */
export function openTaskId(page: Page): string {
  const [, id] = TASK_PAGE.exec(page.url()) ?? [];
  if (id === undefined) throw new Error(`${page.url()} is not the page of a task`);
  return id;
}

/** Waits until the address has this query, such as `?type=gpt`, or a query that matches. */
export async function untilQuery(page: Page, query: string | RegExp): Promise<void> {
  await page.waitForURL(({ search }) => (typeof query === 'string' ? search === query : query.test(search)));
}

/** Marks the document. @returns whether it is still the same one, without a reload */
export async function markDocument(page: Page): Promise<() => Promise<boolean>> {
  const mark = crypto.randomUUID();
  await page.evaluate((value) => Object.assign(window, { documentMark: value }), mark);
  return () => page.evaluate((value) => (window as { documentMark?: string }).documentMark === value, mark);
}
