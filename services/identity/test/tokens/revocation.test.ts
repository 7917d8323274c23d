import { forge, nowSeconds, secretSigner } from '@agent-fleet/shared/testing/forge';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Account,
  CHEAP_HASHES,
  claimsOf,
  createAccount,
  dumpRedis,
  getTokens,
  readAudit,
  readChanges,
  readSession,
  refresh,
  revoke,
} from '../support/accounts.ts';
import { asNobody, JWT_SECRET, type StartedService, startService } from '../support/start-service.ts';

const signer = secretSigner(JWT_SECRET);

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '0' });
  account = await createAccount(service);
});
afterAll(() => service.close());

const isRevoked = async (id: string) => (await service.redis.exists(service.keys.revoked(id))) === 1;

test('a refresh token ends with its family and the access tokens made from it', async () => {
  const tokens = await getTokens(service, account, 'offline_access');
  const { sid } = claimsOf(tokens);
  const { text, headers } = await revoke(service, { token: tokens.refresh_token }).expect(200);
  expect([text, headers['cache-control']]).toEqual(['', 'no-store']);
  expect(await readSession(service, sid)).toBeUndefined();
  expect(await isRevoked(sid)).toBe(true);
  expect(await service.redis.pttl(service.keys.revoked(sid))).toBeGreaterThan(86_400_000);
  expect((await readChanges(service)).at(-1)).toBe(`session:${sid}`);
  expect((await readAudit(service)).at(-1)).toMatchObject({
    actor: { type: 'user', id: account.id, name: account.email },
    action: 'token.revoked',
    target: { type: 'session', id: sid },
    outcome: 'success',
  });
  await refresh(service, tokens.refresh_token).expect(400);
});

test('an old refresh token ends its family too', async () => {
  const first = await getTokens(service, account, 'offline_access');
  let current = first.refresh_token;
  for (let count = 0; count < 3; count++) current = (await refresh(service, current).expect(200)).body.refresh_token;
  await revoke(service, { token: first.refresh_token }).expect(200);
  expect(await isRevoked(claimsOf(first).sid)).toBe(true);
  await refresh(service, current).expect(400);
});

test('an access token ends alone, for longer than any token lives', async () => {
  const tokens = await getTokens(service, account, 'offline_access');
  const { jti, sid } = claimsOf(tokens);
  await revoke(service, { token: tokens.access_token, token_type_hint: 'refresh_token' }).expect(200);
  expect([await isRevoked(jti), await isRevoked(sid)]).toEqual([true, false]);
  expect(await service.redis.pttl(service.keys.revoked(jti))).toBeGreaterThan(86_400_000 + 3_600_000);
  expect((await readChanges(service)).at(-1)).toBe(`token:${jti}`);
  expect((await readAudit(service)).at(-1)).toMatchObject({
    actor: { type: 'user', id: account.id, name: account.email },
    action: 'token.revoked',
    target: { type: 'token', id: jti },
  });
  await refresh(service, tokens.refresh_token).expect(200);
});

test('an access token of version 1.0 ends by a digest, whose user is found by the e-mail address', async () => {
  await revoke(service, { token: forge(signer, { payload: { sub: account.email } }) }).expect(200);
  const [change = ''] = (await readChanges(service)).slice(-1);
  expect(change).toMatch(/^token:[\w-]{43}$/);
  expect(await isRevoked(change.slice('token:'.length))).toBe(true);
  expect((await readAudit(service)).at(-1)?.actor).toEqual({ type: 'user', id: account.id, name: account.email });
});

test('an access token ends although it seems to have expired, or to be new, by a clock that is an hour off', async () => {
  for (const [jti, iat] of [
    ['expired', nowSeconds() - 5_400],
    ['new', nowSeconds() + 3_600],
  ] as const) {
    const payload = { sub: account.email, jti, iat, exp: iat + 1_800 };
    await revoke(service, { token: forge(signer, { payload }) }).expect(200);
    expect(await isRevoked(jti)).toBe(true);
  }
});

test('the same token twice, also at the same time, changes and is audited once', async () => {
  const tokens = await getTokens(service, account, 'offline_access');
  const before = (await readAudit(service)).length;
  const all = [tokens.access_token, tokens.refresh_token].flatMap((token) => Array<string>(10).fill(token));
  const answers = await Promise.all(all.map((token) => revoke(service, { token })));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await readAudit(service)).length - before).toBe(2);
});

describe('nothing changes for', () => {
  async function expectUnchanged(token: string): Promise<void> {
    const before = await dumpRedis(service);
    await revoke(service, { token }).expect(200);
    expect(await dumpRedis(service)).toBe(before);
  }

  test('texts that are no tokens', async () => {
    for (const token of ['', 'x', 'a.b.c', '\0', '__proto__', 'x'.repeat(10_000)]) await expectUnchanged(token);
  });

  test('forged tokens', async () => {
    const { refresh_token, access_token } = await getTokens(service, account, 'offline_access');
    await expectUnchanged(`${refresh_token.slice(0, 22)}${'A'.repeat(64)}`);
    await expectUnchanged(`${access_token.slice(0, -3)}AAA`);
    const payload = { sub: account.email };
    await expectUnchanged(forge(secretSigner('another secret of thirty-two bytes'), { payload }));
    await expectUnchanged(forge(signer, { payload: { ...payload, exp: 1_000 } }));
    await expectUnchanged(forge(signer, { payload: { ...payload, aud: 'others' } }));
  });
});

test('a form without a token, or with two, is 400; no form is 415', async () => {
  for (const form of ['x=1', 'token_type_hint=access_token', 'token=a&token=b']) {
    const { body } = await revoke(service, form).expect(400);
    expect(body).toMatchObject({ error: 'validation_error', details: { fields: [{ path: 'token' }] } });
  }
  await revoke(service, 'token=a&token_type_hint=b&token_type_hint=c&x=1').expect(200);
  await service.http.post('/revoke').set(asNobody()).send({ token: 'x' }).expect(415);
  await service.http.post('/revoke').set(asNobody()).expect(400);
});
