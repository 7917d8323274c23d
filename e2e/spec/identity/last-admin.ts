import { expect, test } from '@jest/globals';
import type { User } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import { expectError } from '../expectations.ts';

/** docs/contract.md "Users": an admin is left. No other test may create admins in this fleet. */
export function specifyLastAdmin(api: Api): void {
  const { accounts } = api;
  const put = (user: User, body: object) =>
    api.call('PUT', `/users/${user.id}`, { body: { role: user.role, disabled: false, ...body } });

  test('the last enabled admin cannot be disabled, demoted or deleted', async () => {
    const admin = (await api.call('GET', '/users/me', { as: 'token' })).json as User;
    const second = await accounts.create('admin');
    await put(second, { disabled: true });
    expectError(await put(admin, { role: 'operator' }), 409, 'last_admin');
    expectError(await put(admin, { disabled: true }), 409, 'last_admin');
    expectError(await api.call('DELETE', `/users/${admin.id}`), 409, 'last_admin');
    expect((await put(admin, {})).status).toBe(200);
    expect((await put(second, { disabled: false })).status).toBe(200);
    const both = await Promise.all([put(admin, { role: 'viewer' }), put(second, { role: 'viewer' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const user of [admin, second]) await put(user, { role: 'admin' });
    await api.call('DELETE', `/users/${second.id}`);
  });
}
