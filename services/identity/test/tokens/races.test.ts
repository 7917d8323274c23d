import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { startService } from '../support/start-service.ts';
import {
  adminOf,
  claimsOf,
  createUser,
  getTokens,
  readSession,
  readUser,
  refresh,
  requestTokens,
  revoke,
  type TestUser,
} from '../support/users.ts';

const ROUNDS = 5;

const env = { SIGN_IN_FAILURES_PER_ACCOUNT: '0' };
const service = await startService(env);
const other = await startService({ ...env, REDIS_PREFIX: service.prefix });

/** What ends the sessions of a user, at another instance. */
const ends: Record<string, (account: TestUser) => Promise<void>> = {
  async disabling(account) {
    const { headers } = await adminOf(other);
    const body = { role: account.role, disabled: true };
    await other.http.put(`/users/${account.id}`).set(headers).send(body).expect(200);
  },
  async deletion({ id }) {
    const { headers } = await adminOf(other);
    await other.http.delete(`/users/${id}`).set(headers).expect(204);
  },
  async 'a change of the password'(account) {
    const body = { current_password: account.password, new_password: 'another good password' };
    await other.http.put('/users/me/password').set(account.headers).send(body).expect(204);
  },
};

describe.each(Object.entries(ends))('%s at the same time', (_what, end) => {
  test('as a sign-in leaves no session, and no token that is later', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await createUser(service);
      const [answers] = await Promise.all([
        Promise.all(
          [0, 2, 4, 8].map(async (ms) => {
            await sleep(ms);
            return requestTokens(service, account);
          }),
        ),
        end(account),
      ]);
      for (const { status, body } of answers) {
        expect([200, 401]).toContain(status);
        if (status === 401) continue;
        const { sid, auth_time_ms } = claimsOf(body);
        expect(await readSession(service, sid)).toBeUndefined();
        expect(await service.redis.exists(service.keys.revoked(sid))).toBe(1);
        await refresh(service, body.refresh_token).expect(400);
        const user = await readUser(service, account.id);
        expect(auth_time_ms).toBeLessThan(user?.tokens_valid_after || Number.POSITIVE_INFINITY);
      }
      await requestTokens(service, account).expect(401);
    }
  });

  test('as refreshes leaves no session, and no token that is later', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await createUser(service);
      const { refresh_token } = await getTokens(service, account);
      const answers: { status: number; body: Parameters<typeof claimsOf>[0] }[] = [];
      let token = refresh_token;
      let isDone = false;
      const ending = end(account).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        const answer = await refresh(service, token);
        answers.push(answer);
        if (answer.status === 200) token = answer.body.refresh_token;
      }
      await ending;
      await refresh(service, token).expect(400);
      const user = await readUser(service, account.id);
      for (const { status, body } of answers) {
        expect([200, 400]).toContain(status);
        if (status === 400) continue;
        expect(claimsOf(body).auth_time_ms).toBeLessThan(user?.tokens_valid_after || Number.POSITIVE_INFINITY);
        expect(await service.redis.exists(service.keys.revoked(claimsOf(body).sid))).toBe(1);
      }
    }
  });
});

test('a revocation at the same time as refreshes ends the family', async () => {
  const account = await createUser(service);
  for (let round = 0; round < ROUNDS; round++) {
    const tokens = await getTokens(service, account);
    const { sid } = claimsOf(tokens);
    const [, ...answers] = await Promise.all([
      revoke(other, tokens.refresh_token).expect(200),
      ...Array.from({ length: 10 }, () => refresh(service, tokens.refresh_token)),
    ]);
    expect(await readSession(service, sid)).toBeUndefined();
    for (const { status, body } of answers) {
      expect([200, 400]).toContain(status);
      if (status === 200) await refresh(service, body.refresh_token).expect(400);
    }
  }
});

test('an old token at the same time as the current one ends the family', async () => {
  const account = await createUser(service);
  for (let round = 0; round < ROUNDS; round++) {
    const tokens = await getTokens(service, account);
    let current = tokens.refresh_token;
    for (let count = 0; count < 2; count++) current = (await refresh(service, current).expect(200)).body.refresh_token;
    const [old, ...answers] = await Promise.all([
      refresh(other, tokens.refresh_token),
      ...Array.from({ length: 5 }, () => refresh(service, current)),
    ]);
    expect(old?.status).toBe(400);
    expect(await readSession(service, claimsOf(tokens).sid)).toBeUndefined();
    for (const { status, body } of answers) if (status === 200) await refresh(other, body.refresh_token).expect(400);
  }
});

test('sign-ins of one user at the same time all succeed', async () => {
  const account = await createUser(service);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => requestTokens(at % 2 === 0 ? service : other, account)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await service.redis.zcard(service.keys.userSessions(account.id))).toBe(60);
});
