import { expect, test } from '@jest/globals';
import { bearer } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import { expectDetail, expectInvalid, expectNoBody, TIMESTAMP } from '../expectations.ts';
import { untilRefused } from './users.ts';

const NOT_FOUND = 'Reset code not found';
const HOUR_MS = 3_600_000;

/** docs/contract.md "Users": reset codes. */
export function specifyPasswordResets(api: Api): void {
  const { accounts } = api;

  test('a reset code sets the first password of a user, once', async () => {
    const { id, email } = await accounts.invite();
    const created = await api.call('POST', `/users/${id}/password-resets`);
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      code: expect.stringMatching(/^[\w-]{40,}$/),
      expires_at: expect.stringMatching(TIMESTAMP),
    });
    const { code, expires_at } = created.json as { code: string; expires_at: string };
    accounts.secrets.add(code);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - HOUR_MS)).toBeLessThan(60_000);
    const password = accounts.newPassword();
    expectNoBody(await accounts.useReset(code, password), 204);
    expect((await accounts.postToken({ username: email, password })).status).toBe(200);
    expectDetail(await accounts.useReset(code, accounts.newPassword()), 404, NOT_FOUND);
  });

  test('a code ends all sessions and tokens of the user, and the old password', async () => {
    const account = await accounts.create();
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const cookie = await accounts.openSession(account);
    const password = accounts.newPassword();
    expectNoBody(await accounts.useReset(await accounts.createReset(account.id), password), 204);
    await untilRefused(api, bearer(access_token), 401);
    await untilRefused(api, cookie, 401);
    expect((await accounts.refresh(refresh_token)).status).toBe(400);
    expect((await accounts.postToken({ username: account.email, password: account.password })).status).toBe(401);
    const again = await accounts.signInAs({ ...account, password });
    expect((await api.call('GET', '/session', { as: again })).status).toBe(200);
  });

  test('a new code voids the one before, and so does a change of the password', async () => {
    const account = await accounts.create();
    const [first, second] = [await accounts.createReset(account.id), await accounts.createReset(account.id)];
    expectDetail(await accounts.useReset(first, accounts.newPassword()), 404, NOT_FOUND);
    const body = { current_password: account.password, new_password: accounts.newPassword() };
    const as = await accounts.signInAs(account);
    expectNoBody(await api.call('PUT', '/users/me/password', { as, body }), 204);
    expectDetail(await accounts.useReset(second, accounts.newPassword()), 404, NOT_FOUND);
  });

  test('a password that is refused leaves the code valid', async () => {
    const account = await accounts.create();
    const code = await accounts.createReset(account.id);
    for (const new_password of ['short', 'passwordpassword', 'qwertyuiopasdfgh', account.email, 7, null]) {
      const refused = await api.call('PUT', `/password-resets/${code}`, { as: 'nobody', body: { new_password } });
      expectInvalid(refused, 'new_password');
    }
    expectNoBody(await accounts.useReset(code, accounts.newPassword()), 204);
  });

  test('of many concurrent uses of a code, one sets its password', async () => {
    const account = await accounts.create();
    const code = await accounts.createReset(account.id);
    const passwords = Array.from({ length: 6 }, () => accounts.newPassword());
    const statuses = (await Promise.all(passwords.map((password) => accounts.useReset(code, password)))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([204, ...Array(5).fill(404)]);
    const password = passwords[statuses.indexOf(204)] as string;
    expect((await accounts.postToken({ username: account.email, password })).status).toBe(200);
  });

  test('an unknown code is 404, and so is one of a user who was disabled or deleted since', async () => {
    const [disabled, deleted] = [await accounts.create(), await accounts.create()];
    const codes = [await accounts.createReset(disabled.id), await accounts.createReset(deleted.id)];
    for (const isDisabled of [true, false]) {
      await api.call('PUT', `/users/${disabled.id}`, { body: { role: 'viewer', disabled: isDisabled } });
    }
    await api.call('DELETE', `/users/${deleted.id}`);
    const unknown = ['x', 'A'.repeat(43), '__proto__', '*', '%2a', 'x'.repeat(4_000), disabled.id];
    for (const code of [...codes, ...unknown]) {
      expectDetail(await accounts.useReset(code, accounts.newPassword()), 404, NOT_FOUND);
      expectDetail(await accounts.useReset(code, 'short'), 404, NOT_FOUND);
    }
  });
}
