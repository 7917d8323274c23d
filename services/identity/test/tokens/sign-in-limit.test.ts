import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Account, CHEAP_HASHES, createAccount, postToken, readAudit } from '../support/accounts.ts';
import { asNobody, type StartedService, startService } from '../support/start-service.ts';

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '3' });
});
beforeAll(async () => {
  account = await createAccount(service);
});
afterAll(() => service.close());

function signInFrom(address: string, username: string, password: string) {
  return postToken(service, { username, password }).set('x-forwarded-for', address);
}

test('after some failures an account is refused from that address only, right password or not', async () => {
  const { email, password } = account;
  for (let count = 0; count < 3; count++) await signInFrom('192.0.2.7', email, 'wrong').expect(401);
  for (const given of ['wrong', password]) {
    const { body, headers } = await signInFrom('192.0.2.7', email.toUpperCase(), given).expect(429);
    expect(body).toEqual({ error: 'rate_limited', message: expect.any(String) });
    expect(Number(headers['retry-after'])).toBeGreaterThan(800);
    expect(headers['cache-control']).toBe('no-store');
  }
  await signInFrom('192.0.2.8', email, password).expect(200);
  const limited = await readAudit(service, 'sign_in.limited');
  expect(limited).toHaveLength(1);
  expect(limited[0]).toMatchObject({ actor: { type: 'anonymous', name: email }, address: '192.0.2.7' });
});

test('browsers and tokens count together', async () => {
  const { email, password } = await createAccount(service);
  for (let count = 0; count < 3; count++) {
    const sent = service.http.post('/session').set(asNobody('192.0.2.9'));
    await sent.send({ username: email, password: 'wrong' }).expect(401);
  }
  await signInFrom('192.0.2.9', email, password).expect(429);
});

test('the limit tells nothing about whether a user exists', async () => {
  for (const email of [(await createAccount(service)).email, 'nobody@example.com', 'no e-mail address']) {
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      statuses.push((await signInFrom('192.0.2.10', email, 'wrong')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  }
});

test('parallel guesses are no more than others', async () => {
  const { email } = await createAccount(service);
  const guesses = await Promise.all(
    Array.from({ length: 20 }, (_, at) => signInFrom('192.0.2.11', email, `guess ${at}`)),
  );
  expect(guesses.filter(({ status }) => status === 401)).toHaveLength(3);
  expect(guesses.filter(({ status }) => status === 429)).toHaveLength(17);
});

test('a success forgets the failures; a refused scope is no failure', async () => {
  const { email, password } = await createAccount(service);
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 2; count++) await signInFrom('192.0.2.12', email, 'wrong').expect(401);
    const form = { username: email, password, scope: 'users:admin' };
    for (let count = 0; count < 3; count++) {
      await postToken(service, form).set('x-forwarded-for', '192.0.2.12').expect(400);
    }
    await signInFrom('192.0.2.12', email, password).expect(200);
  }
});
