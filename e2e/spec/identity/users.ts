import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { type Account, bearer, type User } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import type { Credential } from '../../harness/http-client.ts';
import {
  expectDetail,
  expectError,
  expectInvalid,
  expectJson,
  expectNoBody,
  expectResponse,
  expectUnauthenticated,
  pagesOf,
  STRONG_ETAG,
  TIMESTAMP,
  UUID_V7,
} from '../expectations.ts';

const NOT_FOUND = 'User not found';
/** Changes reach every gateway within this time. */
const REVOKED_MS = 3_000;

/** Waits until a credential is refused, for at most 3 s. */
export async function untilRefused(api: Api, as: Credential, status: 401 | 403): Promise<void> {
  const isRefused = async () => (await api.call('GET', '/session', { as })).status === status;
  await until(isRefused, { message: `the credential is ${status}`, timeoutMs: REVOKED_MS, pollMs: 5 });
}

/** docs/contract.md "Users". */
export function specifyUsers(api: Api): void {
  const { accounts } = api;
  const post = (body: unknown) => api.call('POST', '/users', { body });
  const put = (user: User, body: unknown, headers = {}) =>
    api.call('PUT', `/users/${user.id}`, { body: { role: user.role, disabled: false, ...Object(body) }, headers });
  const email = () => `${crypto.randomUUID()}@e2e.example`;
  const toUser = ({ password: _, ...user }: Account): User => user;

  test('POST /users is 201 with exactly the fields of a user, Location and a strong ETag', async () => {
    const address = email();
    const response = await post({ email: `  ${address.toUpperCase()} `, role: 'operator' });
    expect(response.status).toBe(201);
    expectJson(response);
    const user = response.json as User;
    expect(user).toEqual({
      id: expect.stringMatching(UUID_V7),
      email: address,
      role: 'operator',
      disabled: false,
      created_at: expect.stringMatching(TIMESTAMP),
      last_sign_in_at: null,
    });
    expect(response.headers.location).toBe(`/users/${user.id}`);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    const read = await api.get(`/users/${user.id}`);
    expectResponse(read, 200, user);
    expect(read.headers.etag).toBe(response.headers.etag);
    expectNoBody(await api.call('DELETE', `/users/${user.id}`), 204);
    expectDetail(await api.get(`/users/${user.id}`), 404, NOT_FOUND);
  });

  test('an e-mail address in another case is taken', async () => {
    const account = await accounts.create();
    for (const same of [account.email, account.email.toUpperCase(), ` ${account.email}`]) {
      expectError(await post({ email: same, role: 'viewer' }), 409, 'email_taken');
    }
    expectError(await post({ email: api.admin.email, role: 'viewer' }), 409, 'email_taken');
  });

  test('a user without a password cannot sign in', async () => {
    const user = await accounts.invite();
    for (const password of ['', 'null', 'undefined', 'x'.repeat(20)]) {
      const refused = await accounts.postToken({ username: user.email, password });
      expectUnauthenticated(refused, 'Incorrect username or password');
    }
  });

  describe('an invalid user is 400 with the names of the fields:', () => {
    const good = () => ({ email: email(), role: 'viewer' });
    const cases: Record<string, [body: () => unknown, ...paths: string[]]> = {
      'no fields': [() => ({}), 'email', 'role'],
      'an unknown role': [() => ({ ...good(), role: 'owner' }), 'role'],
      'a role of the object': [() => ({ ...good(), role: 'constructor' }), 'role'],
      'an address without @': [() => ({ ...good(), email: 'ada' }), 'email'],
      'two addresses': [() => ({ ...good(), email: 'a@b.example, c@d.example' }), 'email'],
      'an address with a line break': [() => ({ ...good(), email: 'a@b.exa\nmple' }), 'email'],
      'a long address': [() => ({ ...good(), email: `${'a'.repeat(250)}@b.example` }), 'email'],
      'an address that is null': [() => ({ ...good(), email: null }), 'email'],
      'a list of addresses': [() => ({ ...good(), email: [email()] }), 'email'],
      'a list of roles': [() => ({ ...good(), role: ['viewer'] }), 'role'],
      'a password of 14 characters': [() => ({ ...good(), password: 'xq7!kw2-zv9#m4' }), 'password'],
      'a password of 129 characters': [() => ({ ...good(), password: 'xq7!'.repeat(33).slice(0, 129) }), 'password'],
      'a password that is a number': [() => ({ ...good(), password: 123456789012345 }), 'password'],
      'a password that is null': [() => ({ ...good(), password: null }), 'password'],
      'a frequent password': [() => ({ ...good(), password: 'qwertyuiopasdfghjkl' }), 'password'],
      'a repeated word': [() => ({ ...good(), password: 'passwordpassword' }), 'password'],
      'the e-mail address as password': [
        () => ({ email: 'ada.lovelace@e2e.example', role: 'viewer', password: 'Ada.Lovelace@e2e.example' }),
        'password',
      ],
    };
    test.each(Object.entries(cases))('%s', async (_what, [toBody, ...paths]) => {
      expectInvalid(await post(toBody()), ...paths);
    });
  });

  test('a password counts code points, and is taken exactly as it is sent', async () => {
    const passwords = [
      '  blanks around it  ',
      '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆',
      'Ünïcödé pässwörter',
      'one\u0000two\nthree four',
    ];
    for (const password of passwords) {
      const body = { email: email(), role: 'viewer', password };
      const { id } = (await post(body)).json as User;
      const signIn = (text: string) => accounts.postToken({ username: body.email, password: text });
      expect((await signIn(password)).status).toBe(200);
      for (const other of [` ${password}`, `${password} `, password.slice(2), password.replace('ö', 'o')]) {
        if (other !== password) expect((await signIn(other)).status).toBe(401);
      }
      await api.call('DELETE', `/users/${id}`);
    }
  });

  test('the list has all users, oldest first', async () => {
    const made = [await accounts.create(), await accounts.create(), await accounts.create()].map(toUser);
    const pages = await pagesOf(api, '/users?limit=1000');
    for (const { headers } of pages) expect(Number(headers['x-total-count'])).toBeGreaterThanOrEqual(4);
    const seen = pages.flatMap(({ json }) => json as User[]);
    const ids = new Set(made.map(({ id }) => id));
    expect(seen.filter(({ id }) => ids.has(id))).toEqual(made);
    expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).toSorted());
    expect(JSON.stringify(seen)).not.toMatch(/password|hash/);
    expectResponse(await api.get(`/users?skip=${Number.MAX_SAFE_INTEGER}`), 200, []);
  });

  test('PUT takes both fields and no others, and changes nothing when one is wrong', async () => {
    const account = await accounts.create('worker');
    const path = `/users/${account.id}`;
    for (const [body, field] of [
      [{ role: 'viewer' }, 'disabled'],
      [{ disabled: true }, 'role'],
      [{ role: 'viewer', disabled: 'yes' }, 'disabled'],
      [{ role: 'viewer', disabled: true, email: email() }, 'email'],
    ] as const) {
      expectInvalid(await api.call('PUT', path, { body }), field);
    }
    expectResponse(await api.get(path), 200, toUser(account));
  });

  test('PUT replaces role and disabled if the record is the one that the client knows', async () => {
    const account = await accounts.create('viewer');
    const { etag = '' } = (await api.get(`/users/${account.id}`)).headers;
    const changed = await put(account, { role: 'operator' }, { 'if-match': etag });
    expectResponse(changed, 200, { ...toUser(account), role: 'operator' });
    expectError(await put(account, { role: 'worker' }, { 'if-match': etag }), 412, 'precondition_failed');
    const remove = (tag: string) => api.call('DELETE', `/users/${account.id}`, { headers: { 'if-match': tag } });
    expectError(await remove(etag), 412, 'precondition_failed');
    const known = await api.get(`/users/${account.id}`, { 'if-none-match': String(changed.headers.etag) });
    expectNoBody(known, 304);
    expectNoBody(await remove(String(changed.headers.etag)), 204);
  });

  test('another role counts at once for the tokens, sessions and keys that a user has', async () => {
    const account = await accounts.create('operator');
    const token = await accounts.signInAs(account);
    const cookie = await accounts.openSession(account);
    const { key } = await accounts.createKey({ role: 'operator' }, token);
    const all: Credential[] = [token, cookie, { 'x-api-key': key }];
    const create = (as: Credential) =>
      api.call('POST', '/agents', { as, body: {}, headers: { 'content-type': 'text/plain' } });
    for (const as of all) expect((await create(as)).status).toBe(415);
    expect((await put(account, { role: 'viewer' })).status).toBe(200);
    for (const as of all) {
      await until(async () => (await create(as)).status === 403, { message: 'refused', timeoutMs: REVOKED_MS });
      expectError(await create(as), 403, 'forbidden');
      expect((await api.call('GET', '/agents', { as })).status).toBe(200);
    }
    expect((await put(account, { role: 'operator' })).status).toBe(200);
    for (const as of all) {
      await until(async () => (await create(as)).status === 415, { message: 'allowed', timeoutMs: REVOKED_MS });
    }
  });

  test('a disabled user has no valid token, session or key, and cannot sign in', async () => {
    const account = await accounts.create();
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const [token, cookie] = [bearer(access_token), await accounts.openSession(account)];
    const key = { 'x-api-key': (await accounts.createKey({}, token)).key };
    expect((await put(account, { disabled: true })).json).toMatchObject({ disabled: true });
    await untilRefused(api, token, 401);
    await untilRefused(api, cookie, 401);
    await untilRefused(api, key, 403);
    expectResponse(await accounts.refresh(refresh_token), 400, expect.objectContaining({ error: 'invalid_grant' }));
    const { email: username, password } = account;
    expectUnauthenticated(await accounts.postToken({ username, password }), 'Incorrect username or password');
    expectUnauthenticated(await accounts.postSession({ username, password }), 'Incorrect username or password');

    expect((await put(account, { disabled: false })).status).toBe(200);
    for (const as of [token, cookie]) expectUnauthenticated(await api.call('GET', '/session', { as }));
    expect((await accounts.refresh(refresh_token)).status).toBe(400);
    expect((await api.call('GET', '/session', { as: await accounts.signInAs(account) })).status).toBe(200);
    // A key is no sign-in: it works again with its owner.
    expect((await api.call('GET', '/agents', { as: key })).status).toBe(200);
  });

  test('the tokens and keys of a deleted user are not those of another user with the same address', async () => {
    const account = await accounts.create('operator');
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const token = bearer(access_token);
    const { id, key: text } = await accounts.createKey({}, token);
    const key = { 'x-api-key': text };
    expectNoBody(await api.call('DELETE', `/users/${account.id}`), 204);
    const again = await accounts.create('operator', account.email);
    expect(again.id).not.toBe(account.id);
    await untilRefused(api, token, 401);
    await untilRefused(api, key, 403);
    expectDetail(await api.get(`/api-keys/${id}`), 404, 'API key not found');
    expect((await accounts.refresh(refresh_token)).status).toBe(400);
    expect((await accounts.postToken({ username: account.email, password: account.password })).status).toBe(401);
    expect((await api.call('GET', '/users/me', { as: await accounts.signInAs(again) })).json).toMatchObject({
      id: again.id,
    });
    expect((await api.get(`/sessions?user_id=${again.id}`)).json).toEqual([]);
  });

  test('GET /users/me is the user who is signed in, and 403 for a key', async () => {
    const account = await accounts.create('worker');
    const as = await accounts.signInAs(account);
    const own = await api.call('GET', '/users/me', { as });
    expectResponse(own, 200, { ...toUser(account), last_sign_in_at: expect.stringMatching(TIMESTAMP) });
    const { last_sign_in_at } = own.json as User;
    expect(Math.abs(Date.parse(String(last_sign_in_at)) - Date.now())).toBeLessThan(60_000);
    expectError(await api.get('/users/me'), 403, 'forbidden');
    const body = { current_password: 'x', new_password: accounts.newPassword() };
    expectError(await api.call('PUT', '/users/me/password', { body }), 403, 'forbidden');
  });

  test('a change of the own password ends every session and token but the one that did it', async () => {
    const account = await accounts.create();
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const elsewhere = await accounts.signIn(account, 'offline_access');
    const [own, other] = [bearer(access_token), bearer(elsewhere.access_token)];
    const cookie = await accounts.openSession(account);
    const change = (current_password: unknown, new_password: unknown) =>
      api.call('PUT', '/users/me/password', { as: own, body: { current_password, new_password } });
    const newPassword = accounts.newPassword();
    expectError(await change(`${account.password}x`, newPassword), 403, 'forbidden');
    for (const password of ['too short', 'passwordpassword', 'x'.repeat(1_000), undefined]) {
      expectInvalid(await change(account.password, password), 'new_password');
    }
    for (const password of [undefined, [account.password]]) {
      expectInvalid(await change(password, newPassword), 'current_password');
    }
    expectNoBody(await change(account.password, newPassword), 204);
    await untilRefused(api, other, 401);
    await untilRefused(api, cookie, 401);
    expect((await api.call('GET', '/session', { as: own })).status).toBe(200);
    expect((await accounts.refresh(refresh_token)).status).toBe(200);
    expect((await accounts.refresh(String(elsewhere.refresh_token))).status).toBe(400);
    const signIn = (password: string) => accounts.postToken({ username: account.email, password });
    expect([(await signIn(account.password)).status, (await signIn(newPassword)).status]).toEqual([401, 200]);
  });

  test('the password may be changed with a cookie, whose session then stays', async () => {
    const account = await accounts.create();
    const [own, other] = [await accounts.openSession(account), await accounts.openSession(account)];
    const body = { current_password: account.password, new_password: accounts.newPassword() };
    expectNoBody(await api.call('PUT', '/users/me/password', { as: own, body }), 204);
    await untilRefused(api, other, 401);
    expect((await api.call('GET', '/session', { as: own })).status).toBe(200);
  });
}
