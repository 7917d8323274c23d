import { forge, nowSeconds, secretSigner } from '@agent-fleet/access/testing/forge';
import { expect, test } from '@jest/globals';
import { JWT_SECRET, startService } from '../support/start-service.ts';
import { changesOf, claimsOf, createUser, dumpRedis, getTokens, readAudit, revoke } from '../support/users.ts';

const signer = secretSigner(JWT_SECRET);

const service = await startService();
const account = await createUser(service);

const isRevoked = async (id: string) => (await service.redis.exists(service.keys.revoked(id))) === 1;

test('what is revoked is remembered for longer than any token lives', async () => {
  const tokens = await getTokens(service, account);
  const { jti, sid } = claimsOf(tokens);
  for (const [token, id, name] of [
    [tokens.access_token, jti, 'token'],
    [tokens.refresh_token, sid, 'session'],
  ] as const) {
    await revoke(service, token).expect(200);
    expect((await changesOf(service)).at(-1)).toBe(`${name}:${id}`);
    expect(await service.redis.pttl(service.keys.revoked(id))).toBeGreaterThan(86_400_000 + 3_600_000);
  }
});

test('an access token ends although it seems to have expired, or to be new, by a clock that is an hour off', async () => {
  for (const [jti, iat] of [
    ['expired', nowSeconds() - 5_400],
    ['new', nowSeconds() + 3_600],
  ] as const) {
    const payload = { sub: account.email, jti, iat, exp: iat + 1_800 };
    await revoke(service, forge(signer, { payload })).expect(200);
    expect(await isRevoked(jti)).toBe(true);
  }
});

test('the same token twice, also at the same time, changes and is audited once', async () => {
  const tokens = await getTokens(service, account);
  const before = (await readAudit(service)).length;
  const all = [tokens.access_token, tokens.refresh_token].flatMap((token) => Array<string>(10).fill(token));
  const answers = await Promise.all(all.map((token) => revoke(service, token)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await readAudit(service)).length - before).toBe(2);
});

test('texts that are no tokens, and forged tokens, change nothing', async () => {
  const { refresh_token, access_token } = await getTokens(service, account);
  const payload = { sub: account.email };
  const before = await dumpRedis(service);
  for (const token of [
    ...['', 'x', 'a.b.c', '\0', '__proto__', 'x'.repeat(10_000)],
    `${refresh_token.slice(0, 22)}${'A'.repeat(64)}`,
    `${access_token.slice(0, -3)}AAA`,
    forge(secretSigner('another secret of thirty-two bytes'), { payload }),
    forge(signer, { payload: { ...payload, exp: 1_000 } }),
    forge(signer, { payload: { ...payload, aud: 'others' } }),
  ]) {
    await revoke(service, token).expect(200);
  }
  expect(await dumpRedis(service)).toBe(before);
});
