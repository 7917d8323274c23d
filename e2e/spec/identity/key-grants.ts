import { expect, test } from '@jest/globals';
import { apiKey, type NewApiKey } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import { expectError, expectForbidden } from '../expectations.ts';
import { untilRefused } from './users.ts';

/** docs/contract.md "API keys": nobody gets a key for more than they have. */
export function specifyKeyGrants(api: Api): void {
  const { accounts } = api;

  test('a key has at most the scopes of its creator, and the missing one is named', async () => {
    const worker = await accounts.signInAs(await accounts.create('worker'));
    for (const [fields, required] of [
      [{ role: 'operator' }, 'agents:write'],
      [{ role: 'admin' }, 'agents:write'],
      [{ scopes: ['tasks:read', 'users:admin'] }, 'users:admin'],
    ] as const) {
      expectForbidden(await accounts.postKey(fields, worker), required);
    }
    const narrowed = await accounts.signInAs(await accounts.create('operator'), 'tasks:read');
    expectForbidden(await accounts.postKey({ scopes: ['tasks:write'] }, narrowed), 'tasks:write');
    expect((await accounts.createKey({ scopes: ['tasks:read'] }, narrowed)).scopes).toEqual(['tasks:read']);
  });

  test('a rotation by a token or key for few scopes does not get the text of a key for more', async () => {
    const account = await accounts.create('operator');
    const [all, narrowed] = [await accounts.signInAs(account), await accounts.signInAs(account, 'tasks:read')];
    const { id, key } = await accounts.createKey({ scopes: ['tasks:read', 'tasks:write'] }, all);
    const manager = apiKey((await accounts.createKey({ scopes: ['users:admin', 'tasks:read'] })).key);
    for (const as of [narrowed, manager]) {
      expectForbidden(await accounts.rotate(id, { grace_seconds: 0 }, as), 'tasks:write');
    }
    expect((await api.call('GET', '/tasks', { as: apiKey(key) })).status).toBe(200);
    expect((await api.call('DELETE', `/api-keys/${id}`, { as: narrowed })).status).toBe(204);
  });

  test('the scopes of a key shrink and grow with the role of its owner, who gets no text for more than the role', async () => {
    const account = await accounts.create('operator');
    const as = await accounts.signInAs(account);
    const { id } = await accounts.createKey({ scopes: ['agents:write', 'tasks:read'] }, as);
    const change = (role: string, disabled = false) =>
      api.call('PUT', `/users/${account.id}`, { body: { role, disabled } });
    const scopes = async () => ((await api.get(`/api-keys/${id}`)).json as NewApiKey).scopes;
    await change('viewer');
    expect(await scopes()).toEqual(['tasks:read']);
    const shrunk = await accounts.signInAs(account);
    expectForbidden(await accounts.rotate(id, { grace_seconds: 0 }, shrunk), 'agents:write');
    await change('admin', true);
    expect(await scopes()).toEqual([]);
    await change('admin');
    expect(await scopes()).toEqual(['agents:write', 'tasks:read']);
    expect((await accounts.rotate(id, { grace_seconds: 0 }, await accounts.signInAs(account))).status).toBe(201);
  });

  test('a key that another key makes has its owner and no wider limits, and ends when that key is deleted', async () => {
    const account = await accounts.create('admin');
    const scopes = ['users:admin', 'tasks:read'];
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const parent = await accounts.createKey(
      { scopes, expires_at, rate_limit_per_minute: 500 },
      await accounts.signInAs(account),
    );
    const asParent = apiKey(parent.key);
    const child = await accounts.createKey({ scopes, rate_limit_per_minute: 5_000 }, asParent);
    expect(child).toMatchObject({ owner: account.email, expires_at, rate_limit_per_minute: 500 });
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expectError(await accounts.postKey({ scopes, expires_at: later }, asParent), 422, 'semantic_error');
    const grandchild = await accounts.createKey({ scopes: ['tasks:read'] }, apiKey(child.key));
    for (const { key } of [child, grandchild]) {
      expect((await api.call('GET', '/tasks', { as: apiKey(key) })).status).toBe(200);
    }
    expect((await api.call('DELETE', `/api-keys/${parent.id}`)).status).toBe(204);
    for (const { key } of [child, grandchild]) await untilRefused(api, apiKey(key), 403);
  });

  test('at most five keys have made each other', async () => {
    let maker = await accounts.signInAs(await accounts.create('admin'));
    for (let number = 0; number <= 5; number++) {
      maker = apiKey((await accounts.createKey({ scopes: ['users:admin', 'tasks:read'] }, maker)).key);
    }
    expectError(await accounts.postKey({ scopes: ['tasks:read'] }, maker), 403, 'quota_exceeded');
  });
}
