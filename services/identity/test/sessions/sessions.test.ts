import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Account,
  asAccount,
  asAdmin,
  CHEAP_HASHES,
  claimsOf,
  createAccount,
  getTokens,
  readAudit,
  readChanges,
  readSession,
  refresh,
} from '../support/accounts.ts';
import { asNobody, type StartedService, startService } from '../support/start-service.ts';

const HOUR_MS = 3_600_000;

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '0' });
});
beforeEach(async () => {
  account = await createAccount(service);
});
afterAll(() => service.close());

const asKey = (scopes: string) => ({
  ...asNobody(),
  'x-fleet-principal': 'key:ci',
  'x-fleet-actor-id': 'x',
  'x-fleet-actor-name': 'ci',
  'x-fleet-scopes': scopes,
});

function list(headers: Record<string, string>, query = '') {
  return service.http.get(`/sessions${query}`).set(headers);
}

/** Signs in for a refresh token and in a browser; returns the ids of both sessions. */
async function startBoth(): Promise<[refreshId: string, browserId: string]> {
  const { email: username, password } = account;
  const { sid } = claimsOf(await getTokens(service, account, 'offline_access'));
  const browser = service.http.post('/session').set({ ...asNobody('198.51.100.7'), 'user-agent': 'Browser/1' });
  await browser.send({ username, password }).expect(204);
  const ids = await service.redis.zrange(service.keys.userSessions(account.id), 0, '-1');
  return [sid, ids.find((id) => id !== sid) as string];
}

describe('GET /sessions', () => {
  test('lists the own sessions, oldest first, without anything secret', async () => {
    const [refreshId, browserId] = await startBoth();
    const { body, headers } = await list(asAccount(account)).expect(200);
    expect(body).toEqual([
      {
        id: refreshId,
        kind: 'refresh',
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        address: '192.0.2.1',
        user_agent: expect.any(String),
      },
      {
        id: browserId,
        kind: 'browser',
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        address: '198.51.100.7',
        user_agent: 'Browser/1',
      },
    ]);
    expect(headers['x-total-count']).toBe('2');
  });

  test('has the last use that a gateway has seen, or the last refresh', async () => {
    const tokens = await getTokens(service, account, 'offline_access');
    const { sid } = claimsOf(tokens);
    const { body } = await refresh(service, tokens.refresh_token).expect(200);
    const before = (await list(asAccount(account)).expect(200)).body[0];
    expect(Date.parse(before.last_used_at)).toBeGreaterThan(Date.parse(before.created_at));
    const usedAt = Math.floor(claimsOf(body).auth_time_ms) + 5_000;
    await service.redis.set(service.keys.used(sid), usedAt);
    const after = (await list(asAccount(account)).expect(200)).body[0];
    expect(after.last_used_at).toBe(new Date(usedAt).toISOString());
  });

  test('leaves out a browser session after 12 hours without a request', async () => {
    const [refreshId, browserId] = await startBoth();
    const used = service.keys.used(browserId);
    const ids = async () => (await list(asAccount(account)).expect(200)).body.map(({ id }: { id: string }) => id);
    const leftMs = await service.redis.pttl(used);
    expect(leftMs).toBeGreaterThan(12 * HOUR_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(12 * HOUR_MS);
    expect(await ids()).toEqual([refreshId, browserId]);
    await service.redis.pexpire(used, 1);
    await until(async () => (await service.redis.exists(used)) === 0);
    expect(await ids()).toEqual([refreshId]);
  });

  test('leaves out sessions from before the password was changed', async () => {
    const [refreshId] = await startBoth();
    const key = service.keys.user(account.id);
    const user = JSON.parse((await service.redis.get(key)) as string);
    const changed = { ...user, tokens_valid_after: Date.now() + 60_000, kept_session: refreshId };
    await service.redis.set(key, JSON.stringify(changed));
    const { body, headers } = await list(asAccount(account)).expect(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([refreshId]);
    expect(headers['x-total-count']).toBe('1');
  });

  test('has pages', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.push(claimsOf(await getTokens(service, account, 'offline_access')).sid);
    }
    const { body, headers } = await list(asAccount(account), '?skip=1&limit=2').expect(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3));
    expect(headers['x-total-count']).toBe('5');
    expect(headers.link).toBe('</sessions?skip=3&limit=2>; rel="next", </sessions?skip=0&limit=2>; rel="prev"');
    for (const query of ['?limit=0', '?limit=1001', '?skip=-1', '?limit=1&limit=2', '?user_id=a&user_id=b']) {
      await list(asAccount(account), query).expect(400);
    }
    expect((await list(asAccount(account), '?skip=100').expect(200)).body).toEqual([]);
  });

  test('lists those of others for administrators only', async () => {
    const other = await createAccount(service);
    const { sid } = claimsOf(await getTokens(service, other, 'offline_access'));
    const query = `?user_id=${other.id}`;
    for (const headers of [await asAdmin(service), asAccount(other), asKey('users:admin')]) {
      expect((await list(headers, query).expect(200)).body.map(({ id }: { id: string }) => id)).toEqual([sid]);
    }
    for (const headers of [asAccount(account), asKey('agents:read')]) {
      const { body } = await list(headers, query).expect(403);
      expect(body).toMatchObject({ error: 'forbidden', details: { required: 'users:admin' } });
    }
    for (const headers of [asKey('agents:read'), asKey('users:admin')]) {
      expect((await list(headers).expect(403)).body.error).toBe('forbidden');
    }
  });

  test('is 404 for an unknown user, but only for administrators', async () => {
    for (const id of ['01997e6b-11c0-7d3e-9a57-8c4f2e6b0d18', 'x', '__proto__', '*', '../users']) {
      const query = `?user_id=${encodeURIComponent(id)}`;
      const { body } = await list(await asAdmin(service), query).expect(404);
      expect(body).toEqual({ detail: 'User not found' });
      await list(asAccount(account), query).expect(403);
    }
    expect((await list(await asAdmin(service), '?user_id=').expect(200)).body).toEqual([]);
  });
});

describe('DELETE /sessions/{session_id}', () => {
  const remove = (id: string, headers: Record<string, string>) =>
    service.http.delete(`/sessions/${encodeURIComponent(id)}`).set(headers);

  test('ends one of the own sessions, and no other', async () => {
    const [refreshId, browserId] = await startBoth();
    await remove(browserId, asAccount(account)).expect(204);
    expect(await readSession(service, browserId)).toBeUndefined();
    expect(await readSession(service, refreshId)).toBeDefined();
    expect(await service.redis.exists(service.keys.revoked(browserId))).toBe(1);
    expect((await readChanges(service)).at(-1)).toBe(`session:${browserId}`);
    expect((await readAudit(service)).at(-1)).toMatchObject({
      actor: { type: 'user', id: account.id, name: account.email },
      action: 'session.ended',
      target: { type: 'session', id: browserId },
    });
    await remove(browserId, asAccount(account)).expect(404, { detail: 'Session not found' });
  });

  test('ends any session for an administrator', async () => {
    const [refreshId, browserId] = await startBoth();
    await remove(refreshId, await asAdmin(service)).expect(204);
    await remove(browserId, asKey('users:admin')).expect(204);
    expect((await list(asAccount(account)).expect(200)).body).toEqual([]);
  });

  test('is 404 for the session of another user, and for any other id', async () => {
    const [refreshId, browserId] = await startBoth();
    const other = await createAccount(service);
    for (const id of [refreshId, browserId, '01997e6b-11c0-7d3e-9a57-8c4f2e6b0d18', 'x', '__proto__', '*', '%']) {
      for (const headers of [asAccount(other), asKey('agents:read tasks:write')]) {
        await remove(id, headers).expect(404, { detail: 'Session not found' });
      }
    }
    expect((await list(asAccount(account)).expect(200)).body).toHaveLength(2);
  });

  test('at the same time ends it once', async () => {
    const [refreshId] = await startBoth();
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(refreshId, asAccount(account))));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(9);
    const ended = (await readAudit(service, 'session.ended')).filter(({ target }) => target?.id === refreshId);
    expect(ended).toHaveLength(1);
  });
});
