import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Account, ApiKey, User } from '../harness/accounts.ts';
import { apiKey } from '../harness/accounts.ts';
import { signInByForm, untilQuery } from './support/actions.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

const KEY = /afk_\w{12}_\w{38}/;

await describePages('Access:', (site) => {
  test('a user is invited with a code, sets a password with it and signs in', () => inviteUser(site));
  test('a role is changed, and the last admin stays one', () => changeRoles(site));
  test('a key is shown once, works, is rotated and is revoked', () => manageKey(site));
  test('a key is limited to chosen agents', () => limitKey(site));
  test('sessions are listed, and ended one by one or all others at once', () => endSessions(site));
  test('an admin sees and ends the sessions of a user', () => endSessionsOfUser(site));
  test('the password is changed, and a wrong one is refused in words', () => changePassword(site));
  test('the audit trail shows the newest events first, filters and is downloaded', () => readTrail(site));
  test('who is no admin sees own keys, sessions and account only', () => seeOwnOnly(site));
});

function dialogOf(page: Page): Locator {
  return page.getByRole('dialog');
}

async function chooseInMenu(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.locator('.menu:popover-open').getByText(action, { exact: true }).click();
}

/** The text that a dialog shows this once; the dialog is closed. */
async function takeSecret(page: Page, what: 'key' | 'code'): Promise<string> {
  await page.getByText(`This ${what} is shown this once.`).waitFor();
  const secret = (await dialogOf(page).locator('pre').textContent()) ?? '';
  await page.keyboard.press('Escape');
  expect(await dialogOf(page).count()).toBe(1);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await expectForgotten(page, secret);
  return secret;
}

async function expectForgotten(page: Page, secret: string): Promise<void> {
  const kept = await page.evaluate(() => [
    document.documentElement.outerHTML,
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), history.state]),
    location.href,
  ]);
  for (const text of kept) expect(text).not.toContain(secret);
}

async function inviteUser(site: Site): Promise<void> {
  const email = `ada-${Date.now()}@e2e.example`;
  const page = await site.visit('/console/access', { as: 'admin' });
  await page.getByRole('button', { name: 'Create user' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialogOf(page).getByRole('combobox', { name: 'Role' }).selectOption('viewer');
  await dialogOf(page).getByRole('button', { name: 'Create user' }).click();
  const code = await takeSecret(page, 'code');
  await page.getByRole('link', { name: email }).waitFor();

  const password = site.api.accounts.newPassword();
  const other = await site.visit('/console/access/account', { allow: [/401/] });
  await other.getByRole('button', { name: 'set a password' }).click();
  await other.getByRole('textbox', { name: 'Code' }).fill(code);
  await other.getByRole('textbox', { name: 'New password' }).fill(password);
  await other.getByRole('button', { name: 'Set the password' }).click();
  await signInByForm(other, { email, password });
  await other.getByText('Viewer. Sees agents, tasks and events.').waitFor();

  await chooseInMenu(page, email, 'Delete…');
  await dialogOf(page).getByRole('button', { name: 'Delete user' }).click();
  await page.getByRole('link', { name: email }).waitFor({ state: 'detached' });
}

async function changeRoles(site: Site): Promise<void> {
  const { api } = site;
  const user = await api.accounts.create('viewer');
  const page = await site.visit('/console/access', { as: 'admin', allow: [/409/] });
  await page.getByRole('link', { name: user.email }).click();
  await page.waitForURL(new RegExp(user.id));
  await dialogOf(page).getByRole('combobox', { name: 'Role' }).selectOption('operator');
  await dialogOf(page).getByRole('checkbox', { name: 'Disabled' }).check();
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('disabled', { exact: true }).waitFor();
  expect((await api.get(`/users/${user.id}`)).json).toMatchObject({ role: 'operator', disabled: true });

  await page.getByRole('link', { name: api.admin.email }).click();
  await dialogOf(page).getByRole('combobox', { name: 'Role' }).selectOption('viewer');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await dialogOf(page).getByText('This is the last admin who can sign in.').waitFor();
}

async function readKey(site: Site, name: string): Promise<ApiKey | undefined> {
  return ((await site.api.get('/api-keys?limit=1000')).json as ApiKey[]).find((key) => key.name === name);
}

async function manageKey(site: Site): Promise<void> {
  const { api } = site;
  const name = `Build worker ${Date.now()}`;
  const check = async (text: string) => (await api.call('GET', '/agents', { as: apiKey(text) })).status;
  const page = await site.visit('/console/access/keys', { as: 'admin' });
  await page.getByRole('button', { name: 'Create API key' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill(name);
  await dialogOf(page).getByRole('combobox', { name: 'Access' }).selectOption('worker');
  await dialogOf(page).getByRole('combobox', { name: 'Expires' }).selectOption('7');
  await dialogOf(page).getByRole('button', { name: 'Create API key' }).click();
  const first = await takeSecret(page, 'key');
  expect(first).toMatch(KEY);
  expect(await check(first)).toBe(200);
  expect((await readKey(site, name))?.scopes).toEqual(['agents:read', 'tasks:read', 'leases:write']);

  await chooseInMenu(page, name, 'Rotate…');
  await dialogOf(page).getByRole('combobox', { name: 'The present text' }).selectOption('0');
  await dialogOf(page).getByRole('button', { name: 'Rotate key' }).click();
  const second = await takeSecret(page, 'key');
  expect([await check(first), await check(second)]).toEqual([403, 200]);

  await page.getByRole('link', { name }).click();
  await dialogOf(page).getByText('Lease tasks, send heartbeats and log entries, report results.').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Revoke…' }).click();
  await dialogOf(page).getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('link', { name }).waitFor({ state: 'detached' });
  expect(await check(second)).toBe(403);
}

async function limitKey(site: Site): Promise<void> {
  const { api } = site;
  const agent = await api.createAgent({ name: `Only this one ${Date.now()}` });
  const name = `Limited ${Date.now()}`;
  const page = await site.visit('/console/access/keys', { as: 'admin' });
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('combobox', { name: 'Agents' }).selectOption('chosen');
  await dialog.getByRole('combobox', { name: 'Add an agent' }).selectOption(agent.id);
  await dialog.getByRole('button', { name: `Remove ${agent.name}` }).waitFor();
  await dialog.getByRole('combobox', { name: 'Access' }).selectOption('scopes');
  expect(await dialog.getByRole('checkbox', { name: 'users:admin' }).count()).toBe(0);
  await dialog.getByRole('checkbox', { name: 'tasks:read' }).check();
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  await takeSecret(page, 'key');
  const made = await readKey(site, name);
  expect([made?.agent_ids, made?.scopes]).toEqual([[agent.id], ['tasks:read']]);
  await api.call('DELETE', `/api-keys/${made?.id}`);
}

async function countSessions(site: Site, { id }: Pick<User, 'id'>): Promise<number> {
  return ((await site.api.get(`/sessions?user_id=${id}`)).json as unknown[]).length;
}

async function endSessions(site: Site): Promise<void> {
  const { accounts } = site.api;
  const user = await accounts.create('operator');
  for (let time = 0; time < 3; time++) await accounts.openSession(user);
  // What other tests cause may have the page ask for something while it signs out.
  const page = await site.visit('/console/access/sessions', { as: user, allow: [/401/] });
  const rows = page.getByRole('main').locator('tbody tr');
  expect(await rows.count()).toBe(4);
  expect(await rows.first().textContent()).toContain('Sign out');
  await rows.nth(1).getByRole('button', { name: 'End' }).click();
  await rows.nth(3).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'End all others' }).click();
  await dialogOf(page).getByRole('button', { name: 'End sessions' }).click();
  await rows.nth(1).waitFor({ state: 'detached' });
  expect(await countSessions(site, user)).toBe(1);
  await rows.first().getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await countSessions(site, user)).toBe(0);
}

async function endSessionsOfUser(site: Site): Promise<void> {
  const { accounts } = site.api;
  const user = await accounts.create('operator');
  const own = await site.visit('/console/tasks', { as: user, allow: [/401/] });
  await own.goto('about:blank');
  const page = await site.visit('/console/access', { as: 'admin' });
  await chooseInMenu(page, user.email, 'Sessions');
  await page.getByText(`User: ${user.email}`).waitFor();
  await untilReady(page);
  await page.getByRole('button', { name: /^End Unknown|^End node/ }).click();
  await page.getByText('No sessions').waitFor();
  expect(await countSessions(site, user)).toBe(0);
  await comeBack(own, user);
}

/** What the page has requested with the session that has ended is not taken for an answer to the new one. */
async function comeBack(page: Page, user: Account): Promise<void> {
  await page.goto('/console/tasks');
  await signInByForm(page, user);
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await untilReady(page);
  expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
}

async function changePassword(site: Site): Promise<void> {
  const user = await site.api.accounts.create('viewer');
  const page = await site.visit('/console/access/account', { as: user, allow: [/403/, /400/] });
  const next = site.api.accounts.newPassword();
  const change = async (from: string, to: string) => {
    await page.getByLabel('Current password').fill(from);
    await page.getByLabel('New password').fill(to);
    await page.getByRole('button', { name: 'Change password' }).click();
  };
  await change(`${user.password}x`, next);
  await page.getByText('This is not your current password.').waitFor();
  await change(user.password, 'too short');
  await page.getByText('The new password must have 15 to 128 characters.').waitFor();
  await change(user.password, next);
  await page.getByText('Your password is changed.').waitFor();
  await site.api.accounts.openSession({ ...user, password: next });
}

async function readTrail(site: Site): Promise<void> {
  const { api } = site;
  const user = await api.accounts.create('viewer');
  await api.accounts.signIn(user);
  const page = await site.visit('/console/access/audit', { as: 'admin' });
  const rows = page.getByRole('main').locator('tbody tr');
  await page.getByRole('searchbox', { name: 'Actor' }).fill(user.email);
  await page.keyboard.press('Enter');
  await untilQuery(page, /actor=/);
  await page.locator('main tbody tr:first-child').filter({ hasText: 'token.issued' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText(user.id).first().waitFor();
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download NDJSON' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^audit-[\d-]+\.ndjson$/);

  await page.getByRole('combobox', { name: 'Action' }).selectOption('key.*');
  await page.getByText('No events match these filters').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await rows.nth(1).waitFor();
  await untilQuery(page, '');
  await followLinkInDialog(page);
}

async function followLinkInDialog(page: Page): Promise<void> {
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await dialogOf(page).getByRole('link', { name: 'Events by this actor' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await untilReady(page);
  await untilQuery(page, /^\?actor=[^&]+$/);
}

async function seeOwnOnly(site: Site): Promise<void> {
  const page = await site.visit('/console/access', { as: await site.api.accounts.create('viewer') });
  const tabs = page.getByRole('navigation', { name: 'Parts' }).getByRole('link');
  expect(await tabs.allTextContents()).toEqual(['API keys', 'Sessions', 'Account']);
  await page.getByText('No API keys yet').waitFor();
  await page.getByRole('button', { name: 'Create API key' }).click();
  const roles = dialogOf(page).getByRole('combobox', { name: 'Access' }).locator('option');
  await roles.first().waitFor({ state: 'attached' });
  expect(await roles.allTextContents()).toEqual(['Viewer', 'Scopes that I choose']);
  await page.keyboard.press('Escape');
  await page.goto(`${site.origin}/console/access/audit`);
  await page.getByText('Your role does not show this').waitFor();
}
