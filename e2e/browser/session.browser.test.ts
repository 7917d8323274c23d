import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import { expectStatus } from '../harness/http-client.ts';
import { shown, signInByForm, signOut, untilLive, untilQuery } from './support/actions.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

/** Another port of the same host is another origin of the same site, which gets the cookie. */
const ORIGINS = { 'another origin of the same site': 'same-site', 'another site': 'cross-site' } as const;
/** Only credentials of the request decide: without the cookie nobody, with it the other origin. */
const REFUSED = { 'same-site': 403, 'cross-site': 401 } as const;
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
const UNAUTHORIZED = [/401/];

let foreign: Server;
beforeAll(async () => {
  foreign = createServer((_req, res) =>
    res.setHeader('content-type', 'text/html').end('<!DOCTYPE html><title>x</title>'),
  );
  await new Promise<void>((resolve) => foreign.listen(0, () => resolve()));
});
afterAll(() => void foreign.close().closeAllConnections());

await describePages('A session in the browser', (site) => {
  describe.each(Object.entries(ORIGINS))('from %s', (_title, kind) => specifyForeign(site, kind));

  test('is not seen by scripts, and nothing in the page is a credential', () => keepSecret(site));
  test('that ends in one tab ends in the others', () => signOutEverywhere(site));
  test('that one ends has not ended by itself, whatever the page asks meanwhile', () => leave(site));
  test('that has expired leads to the form, and from there back to where one was', () => comeBack(site));
  test('that does not exist leads to the form at every address of the console, and then on', () => followLink(site));
  test('whose role has changed offers only what is left of it', () => loseRole(site));
  test('is refused for a wrong password in words', () => refuse(site));
});

/** A page of another origin in the browser of a signed-in administrator. */
async function openForeign(site: Site, kind: 'same-site' | 'cross-site'): Promise<Page> {
  const page = await site.takeTab({ as: 'admin', allow: [/./] });
  const { hostname } = new URL(site.origin);
  const otherHost = hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  const { port } = foreign.address() as AddressInfo;
  await page.goto(`http://${kind === 'same-site' ? hostname : otherHost}:${port}/`);
  return page;
}

function specifyForeign(site: Site, kind: 'same-site' | 'cross-site'): void {
  /** Others create agents, too. */
  const countAgents = async () => ((await site.api.get('/agents?q=forged')).json as unknown[]).length;

  test.each(FORM_TYPES)('a form of the type %s changes nothing', async (type) => {
    const before = await countAgents();
    const page = await openForeign(site, kind);
    const sent = page.waitForResponse((response) => response.url().startsWith(site.origin));
    await page.evaluate(
      ({ action, enctype }) => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype });
        const input = Object.assign(document.createElement('input'), {
          name: '{"name":"forged","type":"claude","a":"',
          value: '"}',
        });
        form.append(input);
        document.body.append(form);
        form.submit();
      },
      { action: `${site.origin}/agents`, enctype: type },
    );
    const response = await sent;
    await page.waitForURL(response.url());
    expect(response.status()).toBe(REFUSED[kind]);
    expect(await response.request().headerValue('sec-fetch-site')).toBe(kind);
    expect(await countAgents()).toBe(before);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'a script that sends %s changes nothing and reads nothing',
    async (method) => {
      const { id } = await site.api.createAgent();
      const before = await countAgents();
      const page = await openForeign(site, kind);
      const statuses: number[] = [];
      const note = (response: Response) => {
        // Preflights do not change anything.
        if (response.request().method() === method && response.url().startsWith(site.origin))
          statuses.push(response.status());
      };
      page.on('response', note);
      const path = method === 'POST' ? '/agents' : `/agents/${id}`;
      const outcomes = await page.evaluate(sendFromScript, { url: site.origin + path, method });
      page.off('response', note);
      expect(outcomes).toEqual(outcomes.map(() => 'unreadable'));
      expect(statuses.filter((status) => status !== REFUSED[kind])).toEqual([]);
      if (method === 'POST') expect(statuses.length).toBeGreaterThan(0);
      expect(await countAgents()).toBe(before);
      expect((await site.api.get(`/agents/${id}`)).status).toBe(200);
    },
  );

  test.each(['/session', '/agents', '/events', '/users/me'])('a script cannot read GET %s', async (path) => {
    const page = await openForeign(site, kind);
    const outcomes = await page.evaluate(sendFromScript, { url: site.origin + path, method: 'GET' });
    expect(outcomes).toEqual(outcomes.map(() => 'unreadable'));
  });

  test('no page of the console can be framed', async () => {
    const page = await openForeign(site, kind);
    const refused = page.waitForEvent('console', (message) => /frame/i.test(message.text()));
    await page.evaluate(
      (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
      `${site.origin}/console`,
    );
    await refused;
    expect(await page.frames()[1]?.evaluate('document.querySelector("#app")')).toBeFalsy();
  });

  test('nobody can be signed in as somebody else', async () => {
    const { email: username, password } = await site.api.accounts.create();
    const page = await openForeign(site, kind);
    const sent = page.waitForResponse((response) => response.url().endsWith('/session'));
    const body = JSON.stringify({ username, password });
    await page.evaluate(
      ({ url, text }) => void fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: text }),
      { url: `${site.origin}/session`, text: body },
    );
    expect((await sent).status()).toBeGreaterThanOrEqual(400);
    const [cookie] = await page.context().cookies(site.origin);
    expect(await ownerOf(site, cookie)).toBe(site.api.admin.email);
  });
}

/** Runs in the page: sends a request in each mode, and tells what it could read. */
async function sendFromScript({ url, method }: { url: string; method: string }): Promise<string[]> {
  const body = method === 'GET' || method === 'DELETE' ? undefined : '{"name":"forged","type":"claude"}';
  const ways: RequestInit[] = [
    { mode: 'cors', credentials: 'include', headers: { 'content-type': 'application/json' } },
    { mode: 'cors', credentials: 'include' },
    { mode: 'no-cors', credentials: 'include' },
  ];
  const read = (way: RequestInit) =>
    fetch(url, { method, body, signal: AbortSignal.timeout(5_000), ...way }).then(
      (response) => (response.type === 'opaque' ? 'unreadable' : `readable: ${response.status}`),
      () => 'unreadable',
    );
  return Promise.all(ways.map(read));
}

async function ownerOf(site: Site, cookie: { name: string; value: string } | undefined): Promise<unknown> {
  const as = { cookie: `${cookie?.name}=${cookie?.value}` };
  return expectStatus<{ user: string }>(await site.api.call('GET', '/session', { as }), 200).user;
}

async function keepSecret(site: Site): Promise<void> {
  const account = await site.api.accounts.create('admin');
  const page = await site.visit('/console/tasks');
  await signInByForm(page, account);
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await untilReady(page);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  const stored = await page.evaluate(async () => ({
    cookie: document.cookie,
    items: JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), history.state]),
    databases: (await indexedDB.databases()).length,
    caches: await caches.keys(),
    markup: document.documentElement.outerHTML,
  }));
  expect(stored).toMatchObject({ cookie: '', databases: 0, caches: [] });
  for (const secret of [cookie?.value ?? '', account.password]) {
    expect(stored.items).not.toContain(secret);
    expect(stored.markup).not.toContain(secret);
  }
  // Nothing that is as long as a token.
  expect(stored.items).not.toMatch(/[\w+/-]{32}/);
}

async function signOutEverywhere(site: Site): Promise<void> {
  const context = await site.newContext({ as: await site.api.accounts.create('operator') });
  // Each may be about to request something; the first one also when it goes back.
  const options = { context, allow: UNAUTHORIZED };
  const [first, second] = [
    await site.visit('/console/tasks', options),
    await site.visit('/console/agents?type=gpt', options),
  ];
  await signOut(first);
  for (const page of [first, second]) await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await context.cookies()).toEqual([]);
  await first.goBack().catch(() => undefined);
  expect(await first.getByRole('navigation', { name: 'Console' }).count()).toBe(0);
}

async function leave(site: Site): Promise<void> {
  const { api } = site;
  const account = await api.accounts.create('operator');
  const agent = await api.createAgent();
  const page = await site.visit('/console/tasks', { as: account, allow: UNAUTHORIZED });
  await untilLive(page);
  await page.route('**/session', async (route) => {
    const response = await route.fetch();
    const refused = page.waitForResponse((other) => other.status() === 401);
    await api.createTask(agent.id);
    await refused;
    await route.fulfill({ response });
  });
  await signOut(page);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await page.getByText('Your session has ended').count()).toBe(0);
}

async function comeBack(site: Site): Promise<void> {
  const { api } = site;
  const account = await api.accounts.create('operator');
  const page = await site.visit('/console/tasks?status=failed', { as: account, allow: UNAUTHORIZED });
  const sessions = (await api.get(`/sessions?user_id=${account.id}`)).json as { id: string }[];
  for (const { id } of sessions) await api.call('DELETE', `/sessions/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ timeout: 60_000 });
  await page.getByText('Your session has ended').waitFor();
  await signInByForm(page, account);
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await untilQuery(page, '?status=failed');
}

async function followLink(site: Site): Promise<void> {
  const { api } = site;
  const agent = await api.createAgent({ name: 'Linked in a mail' });
  const page = await site.visit(`/console/agents/${agent.id}`);
  await signInByForm(page, api.admin);
  await page.getByRole('heading', { level: 1, name: agent.name }).waitFor();
}

async function loseRole(site: Site): Promise<void> {
  const { api } = site;
  const agent = await api.createAgent({ name: 'Of a former operator' });
  const account = await api.accounts.create('admin');
  // A request in progress at the change is refused with 503, and sent again.
  const page = await site.visit(`/console/agents/${agent.id}`, { as: account, allow: [/403/, /503/] });
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expectStatus(await api.call('PUT', `/users/${account.id}`, { body: { role: 'viewer', disabled: false } }), 200);
  await until(() => isForbidden(page, `${site.origin}/audit-events?limit=1`), { message: 'each gateway knows of it' });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause agent' }).click();
  await page.getByText('Your role is now viewer.').waitFor();
  await page.getByText('Your role does not allow this. It needs the scope agents:write.').waitFor();
  await page.keyboard.press('Escape');
  for (const name of ['Pause', 'Create task']) {
    await page.getByRole('button', { name }).first().waitFor({ state: 'detached' });
  }
}

/** Asked so often that each gateway answers. */
async function isForbidden(page: Page, url: string): Promise<boolean> {
  const responses = await Promise.all(Array.from({ length: 12 }, () => page.request.get(url)));
  return responses.every((response) => response.status() === 403);
}

async function refuse(site: Site): Promise<void> {
  const account = await site.api.accounts.create();
  const page = await site.visit('/console', { allow: UNAUTHORIZED });
  await signInByForm(page, { ...account, password: `${account.password}x` });
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await signInByForm(page, account);
  await shown(page, 'Overview').waitFor();
}
