import { expect, test } from '@jest/globals';
import { JWT_SECRET, startService } from '../support/start-service.ts';
import { claimsOf, createUser, getTokens, passTime, readAudit, readSession, refresh } from '../support/users.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const service = await startService();

async function expectRefused(token: string, { http } = service): Promise<void> {
  const { body, headers } = await refresh({ http }, token).expect(400);
  expect(body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

test('a family ends 7 days after its last refresh', async () => {
  const tokens = await getTokens(service, await createUser(service));
  const { sid } = claimsOf(tokens);
  let current = tokens.refresh_token;
  for (let time = 0; time < 2; time++) {
    await passTime(service, sid, 7 * DAY_MS - MINUTE_MS);
    current = (await refresh(service, current).expect(200)).body.refresh_token;
  }
  await passTime(service, sid, 7 * DAY_MS);
  await expectRefused(current);
});

test('a family ends 30 days after the sign-in, however often it is refreshed', async () => {
  const tokens = await getTokens(service, await createUser(service));
  const { sid } = claimsOf(tokens);
  let current = tokens.refresh_token;
  for (const days of [6, 6, 6, 6, 6 - MINUTE_MS / DAY_MS]) {
    await passTime(service, sid, days * DAY_MS);
    current = (await refresh(service, current).expect(200)).body.refresh_token;
  }
  await passTime(service, sid, MINUTE_MS);
  await expectRefused(current);
});

test('a family whose user does not allow it is refused although it is still stored: this is in the audit trail', async () => {
  const user = await createUser(service);
  const token = (await getTokens(service, user)).refresh_token;
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
  const first = await getTokens(service, await createUser(service));
  const tokens = [first.refresh_token];
  for (let count = 0; count < 3; count++) {
    tokens.push((await refresh(service, tokens.at(-1) as string).expect(200)).body.refresh_token);
  }
  const env = { JWT_SECRET: 'the next secret of thirty-two bytes', JWT_VERIFICATION_SECRET: JWT_SECRET };
  const next = await startService({ ...env, REDIS_PREFIX: service.prefix });
  await expectRefused(tokens[0] as string, next);
  expect(await readSession(service, claimsOf(first).sid)).toBeDefined();
  // The successor is told only by those who have the key that made it.
  await expectRefused(tokens[2] as string, next);
  const { body } = await refresh(next, tokens[3] as string).expect(200);
  await refresh(next, body.refresh_token).expect(200);
});
