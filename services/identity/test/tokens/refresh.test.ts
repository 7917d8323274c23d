import { narrow, ROLES } from '@agent-fleet/shared/contract/scopes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type Account,
  CHEAP_HASHES,
  claimsOf,
  createAccount,
  dumpRedis,
  getTokens,
  passTime,
  readAudit,
  readSession,
  refresh,
} from '../support/accounts.ts';
import { JWT_SECRET, type StartedService, startService } from '../support/start-service.ts';

const DAY_MS = 86_400_000;

const OPERATOR = narrow(ROLES.operator, ROLES.operator).join(' ');

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '0' });
  account = await createAccount(service);
});
afterAll(() => service.close());

/** A session with its refresh tokens, the newest last: the sign-in's, and that of each of `times` refreshes. */
async function startFamily(times = 0) {
  const first = await getTokens(service, account, 'offline_access');
  const tokens = [first.refresh_token];
  for (let count = 0; count < times; count++) {
    tokens.push((await refresh(service, tokens.at(-1) as string).expect(200)).body.refresh_token);
  }
  return { id: claimsOf(first).sid, tokens, current: tokens.at(-1) as string, first };
}

async function expectRefused(token: string, { http } = service): Promise<void> {
  const { body, headers } = await refresh({ http }, token).expect(400);
  expect(body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

test('a refresh token gets a new access token of the same session, and a successor', async () => {
  const { id, current, first } = await startFamily();
  const { body, headers } = await refresh(service, current).expect(200);
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: 1800,
    refresh_token: expect.stringMatching(/^[\w-]{86}$/),
  });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  const [before, after] = [claimsOf(first), claimsOf(body)];
  expect(after).toMatchObject({ sub: account.email, uid: account.id, sid: id, scope: OPERATOR });
  expect(after.jti).not.toBe(before.jti);
  expect(after.auth_time_ms).toBeGreaterThan(before.auth_time_ms);
  expect((await readAudit(service)).at(-1)).toMatchObject({
    actor: { type: 'user', id: account.id, name: account.email },
    action: 'token.refreshed',
    target: { type: 'session', id },
    outcome: 'success',
  });
});

test('the token before gets the same successor within 10 seconds', async () => {
  const { id, tokens } = await startFamily(1);
  const [first, second] = tokens as [string, string];
  await passTime(service, id, 9_000);
  const { body } = await refresh(service, first).expect(200);
  expect(body.refresh_token).toBe(second);
  expect(claimsOf(body).sid).toBe(id);
  await refresh(service, second).expect(200);
});

test('a forged token, or another text, changes nothing', async () => {
  const { id, tokens, current } = await startFamily(2);
  const [other] = (await startFamily()).tokens as [string];
  const before = await dumpRedis(service);
  const bytes = Buffer.from(tokens[0] as string, 'base64url');
  const forged = [
    Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(48)]),
    Buffer.concat([bytes.subarray(0, 16), Buffer.from(other, 'base64url').subarray(16)]),
    Buffer.concat([bytes.subarray(0, 48), Buffer.alloc(16)]),
    Buffer.concat([Buffer.alloc(16), bytes.subarray(16)]),
  ].map((text) => text.toString('base64url'));
  for (const text of [...forged, '', 'x', current.slice(1), `${current}x`, ` ${current}`, `${current}=`, '__proto__']) {
    await expectRefused(text);
  }
  expect(await dumpRedis(service)).toBe(before);
  expect(await readSession(service, id)).toBeDefined();
  await refresh(service, current).expect(200);
});

test('twenty refreshes at the same time give one successor, at two instances', async () => {
  await using other = await startService({ ...CHEAP_HASHES, REDIS_PREFIX: service.prefix });
  const { id, current } = await startFamily(1);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => refresh(at % 2 === 0 ? service : other, current)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => claimsOf(body).jti)).size).toBe(20);
  await refresh(service, answers[0]?.body.refresh_token).expect(200);
  expect(await readSession(service, id)).toBeDefined();
});

test('a family ends 7 days after its last refresh', async () => {
  const { id, current } = await startFamily();
  await passTime(service, id, 7 * DAY_MS - 60_000);
  const { body } = await refresh(service, current).expect(200);
  await passTime(service, id, 7 * DAY_MS - 60_000);
  const again = await refresh(service, body.refresh_token).expect(200);
  await passTime(service, id, 7 * DAY_MS);
  await expectRefused(again.body.refresh_token);
});

test('a family ends 30 days after the sign-in, however often it is refreshed', async () => {
  const family = await startFamily();
  let { current } = family;
  for (let day = 0; day < 24; day += 6) {
    await passTime(service, family.id, 6 * DAY_MS);
    current = (await refresh(service, current).expect(200)).body.refresh_token;
  }
  const leftMs = await service.redis.pttl(service.keys.session(family.id));
  expect(leftMs).toBeLessThanOrEqual(6 * DAY_MS);
  await passTime(service, family.id, 6 * DAY_MS - 60_000);
  current = (await refresh(service, current).expect(200)).body.refresh_token;
  await passTime(service, family.id, 60_000);
  await expectRefused(current);
});

test('a family whose user does not allow it is refused although it is still stored: this is in the audit trail', async () => {
  const user = await createAccount(service);
  const token = (await getTokens(service, user, 'offline_access')).refresh_token;
  const key = service.keys.user(user.id);
  const record = JSON.parse((await service.redis.get(key)) as string);
  for (const change of [{ disabled: true }, { tokens_valid_after: Date.now() + 1_000 }]) {
    await service.redis.set(key, JSON.stringify({ ...record, ...change }));
    await expectRefused(token);
    expect((await readAudit(service)).at(-1)).toMatchObject({
      actor: { type: 'user', id: user.id, name: user.email },
      action: 'token.refused',
      target: { type: 'session' },
      outcome: 'failure',
    });
  }
  await service.redis.set(key, JSON.stringify(record));
  await refresh(service, token).expect(200);
});

test('after a change of the signing key the current token is good, and an old one is only refused', async () => {
  const { id, tokens, current } = await startFamily(3);
  const env = { JWT_SECRET: 'the next secret of thirty-two bytes', JWT_VERIFICATION_SECRET: JWT_SECRET };
  await using next = await startService({ ...CHEAP_HASHES, ...env, REDIS_PREFIX: service.prefix });
  await expectRefused(tokens[0] as string, next);
  expect(await readSession(service, id)).toBeDefined();
  // The successor is told only by those who have the key that made it.
  await expectRefused(tokens[2] as string, next);
  const { body } = await refresh(next, current).expect(200);
  await refresh(next, body.refresh_token).expect(200);
});
