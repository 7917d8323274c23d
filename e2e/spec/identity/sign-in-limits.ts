import { expect, test } from '@jest/globals';
import type { Account } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import { expectError, expectUnauthenticated } from '../expectations.ts';

/** The limit of the fleet of these tests: SIGN_IN_FAILURES_PER_ACCOUNT. */
const FAILURES = 10;
const WRONG = 'Incorrect username or password';

/** docs/contract.md "Credentials": failed sign-ins. The gateway trusts the test as a proxy that makes up addresses. */
export function specifySignInLimits(api: Api): void {
  const { accounts } = api;
  let lastAddress = 0;
  const newAddress = () => `198.51.100.${++lastAddress}`;
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const signIn = ({ email: username }: Pick<Account, 'email'>, password: string, address: string) =>
    accounts.postToken({ username, password }, from(address));

  async function fail(account: Pick<Account, 'email'>, address: string, times = FAILURES): Promise<void> {
    for (let time = 0; time < times; time++) expectUnauthenticated(await signIn(account, 'wrong', address), WRONG);
  }

  test('an account is 429 after ten failures from an address, even with the right password', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    await fail(account, address);
    for (const password of ['wrong', account.password]) {
      const refused = await signIn(account, password, address);
      expectError(refused, 429, 'rate_limited');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
      expect(refused.headers['cache-control']).toBe('no-store');
    }
    const { email: username, password } = account;
    const browser = await accounts.postSession({ username, password }, { 'x-forwarded-for': address });
    expectError(browser, 429, 'rate_limited');
    expectError(await signIn({ email: ` ${account.email.toUpperCase()}` }, 'wrong', address), 429, 'rate_limited');
  });

  test('nobody locks out an account at another address, nor another account at the same', async () => {
    const [account, other, address] = [await accounts.create(), await accounts.create(), newAddress()];
    await fail(account, address);
    expect((await signIn(account, account.password, address)).status).toBe(429);
    expect((await signIn(account, account.password, newAddress())).status).toBe(200);
    expect((await signIn(other, other.password, address)).status).toBe(200);
    // The other address did not free the first.
    expect((await signIn(account, account.password, address)).status).toBe(429);
  });

  test('an IPv6 client counts by its network', async () => {
    const account = await accounts.create();
    for (let time = 0; time < FAILURES; time++) {
      expect((await signIn(account, 'wrong', `2001:db8:0:1::${time + 1}`)).status).toBe(401);
    }
    expect((await signIn(account, account.password, '2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await signIn(account, account.password, '2001:db8:0:2::1')).status).toBe(200);
  });

  test('an address that a client makes up does not count: only the last one is of the proxy', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    for (let time = 0; time < FAILURES; time++) {
      expect((await signIn(account, 'wrong', `203.0.113.${time}, ${address}`)).status).toBe(401);
    }
    expect((await signIn(account, 'wrong', `203.0.113.99, ${address}`)).status).toBe(429);
  });

  test('an account that does not exist is limited in the same way', async () => {
    const address = newAddress();
    for (const email of [`${crypto.randomUUID()}@e2e.example`, `no address ${crypto.randomUUID()}`]) {
      await fail({ email }, address);
      expectError(await signIn({ email }, 'wrong', address), 429, 'rate_limited');
    }
  });

  test('a right password forgets the failures before, and a refused scope is no failure', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    const { email: username, password } = account;
    for (let round = 0; round < 2; round++) {
      await fail(account, address, FAILURES - 1);
      for (let time = 0; time < 2; time++) {
        const refused = await accounts.postToken({ username, password, scope: 'users:admin' }, from(address));
        expect(refused.status).toBe(400);
      }
      expect((await signIn(account, password, address)).status).toBe(200);
    }
  });

  test('a reset code lets a user sign in after too many failures', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    await fail(account, address);
    expect((await signIn(account, account.password, address)).status).toBe(429);
    const body = { new_password: accounts.newPassword() };
    const path = `/password-resets/${await accounts.createReset(account.id)}`;
    expect((await api.call('PUT', path, { as: 'nobody', body, ...from(address) })).status).toBe(204);
    expect((await signIn(account, body.new_password, address)).status).toBe(200);
  });

  test('many right passwords at once are not limited, and of many wrong ones at once ten are checked', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    const right = await Promise.all(Array.from({ length: 20 }, () => signIn(account, account.password, address)));
    expect(right.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const wrong = await Promise.all(Array.from({ length: 20 }, () => signIn(account, 'wrong', address)));
    expect(wrong.map(({ status }) => status).sort()).toEqual([...Array(FAILURES).fill(401), ...Array(10).fill(429)]);
  });

  test('wrong current passwords count together with failed sign-ins', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    const as = await accounts.signInAs(account);
    const change = (current_password: string) => {
      const body = { current_password, new_password: accounts.newPassword() };
      return api.call('PUT', '/users/me/password', { as, body, ...from(address) });
    };
    await fail(account, address, FAILURES / 2);
    for (let time = 0; time < FAILURES / 2; time++) expectError(await change('wrong'), 403, 'forbidden');
    expectError(await change(account.password), 429, 'rate_limited');
    expectError(await signIn(account, account.password, address), 429, 'rate_limited');
    expect((await signIn(account, account.password, newAddress())).status).toBe(200);
  });

  test('a limited sign-in is in the audit trail once, with the account that was tried', async () => {
    const [account, address] = [await accounts.create(), newAddress()];
    await fail(account, address);
    for (let time = 0; time < 3; time++) await signIn(account, 'wrong', address);
    const { json } = await api.get(`/audit-events?actor=${account.email}&action=sign_in.limited`);
    expect(json).toEqual([
      expect.objectContaining({ actor: { type: 'anonymous', id: null, name: account.email }, address }),
    ]);
  });
}
