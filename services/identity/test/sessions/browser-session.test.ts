import { hash } from 'node:crypto';
import { ROLES } from '@agent-fleet/shared/identity/scopes';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Account,
  asAccount,
  CHEAP_HASHES,
  changeAccount,
  claimsOf,
  createAccount,
  dumpRedis,
  getTokens,
  readAudit,
  readChanges,
  readSession,
  readUser,
  refresh,
} from '../support/accounts.ts';
import { asNobody, type StartedService, startService } from '../support/start-service.ts';

const WRONG = { detail: 'Incorrect username or password' };
const DAY_MS = 86_400_000;

let service: StartedService;
let account: Account;
beforeAll(async () => {
  service = await startService({ ...CHEAP_HASHES, SIGN_IN_FAILURES_PER_ACCOUNT: '0' });
  account = await createAccount(service);
});
afterAll(() => service.close());

function post(body: unknown, headers: Record<string, string> = {}) {
  return service.http
    .post('/session')
    .set({ ...asNobody(), ...headers })
    .send(body as object);
}

/** Signs in, and returns the secret of the cookie and the id of its session. */
async function signInBrowser({ email, password } = account, headers: Record<string, string> = {}) {
  const response = await post({ username: email, password }, headers).expect(204);
  const [cookie = ''] = response.headers['set-cookie'] as unknown as string[];
  const secret = /=([\w-]{43});/.exec(cookie)?.[1] as string;
  const id = (await service.redis.get(service.keys.sessionHash(hash('sha256', secret)))) as string;
  return { cookie, secret, id, response };
}

describe('a sign-in', () => {
  test('over https sets a cookie that only this host gets, and scripts do not', async () => {
    const { cookie, response } = await signInBrowser(account, { 'x-forwarded-proto': 'https' });
    expect(cookie).toMatch(/^__Host-fleet=[\w-]{43}; HttpOnly; Secure; SameSite=Strict; Path=\/$/);
    expect(response.text).toBe('');
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('over plain http sets a cookie that browsers accept there', async () => {
    const { cookie } = await signInBrowser();
    expect(cookie).toMatch(/^fleet=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  });

  test('stores a session of at most 7 days, with a digest of the cookie', async () => {
    const { secret, id } = await signInBrowser(account, { 'user-agent': 'x'.repeat(300) });
    const session = await readSession(service, id);
    expect(session).toEqual({
      id,
      kind: 'browser',
      user_id: account.id,
      created_at: expect.any(String),
      last_used_at: session?.created_at,
      expires_at: new Date(Date.parse(session?.created_at as string) + 7 * DAY_MS).toISOString(),
      address: '192.0.2.1',
      user_agent: 'x'.repeat(200),
      scopes: null,
      hash: hash('sha256', secret),
      previous: null,
    });
    for (const key of [service.keys.session(id), service.keys.sessionHash(hash('sha256', secret))]) {
      const leftMs = await service.redis.pttl(key);
      expect(leftMs).toBeGreaterThan(7 * DAY_MS - 10_000);
      expect(leftMs).toBeLessThanOrEqual(7 * DAY_MS + 1_000);
    }
    expect(await dumpRedis(service)).not.toContain(secret);
    expect(JSON.stringify(service.logs)).not.toContain(secret);
    const { last_sign_in_at } = await readUser(service, account);
    expect(Date.parse(session?.created_at as string) - Date.parse(last_sign_in_at as string)).toBeLessThan(2);
    expect((await readAudit(service)).at(-1)).toMatchObject({
      actor: { type: 'user', id: account.id, name: account.email },
      action: 'session.created',
      target: { type: 'session', id },
      outcome: 'success',
      address: '192.0.2.1',
    });
  });

  test('makes a new session, whatever cookie the request has', async () => {
    const planted = 'A'.repeat(43);
    const first = await signInBrowser(account, { cookie: `fleet=${planted}; __Host-fleet=${planted}` });
    const second = await signInBrowser(account, { cookie: `fleet=${first.secret}` });
    expect(new Set([planted, first.secret, second.secret]).size).toBe(3);
    expect(await readSession(service, first.id)).toBeDefined();
  });

  test('with the wrong password, or of an unknown or disabled user, is the same 401 without a cookie', async () => {
    const disabled = await createAccount(service);
    await changeAccount(service, disabled, true);
    const { email, password } = account;
    for (const body of [
      { username: email, password: 'wrong' },
      { username: email, password: '' },
      { username: email, password: `${password}\ud800` },
      { username: 'nobody@example.com', password },
      { username: '', password: '' },
      { username: `${email}\ud800`, password },
      { username: disabled.email, password: disabled.password },
    ]) {
      const { headers } = await post(body).expect(401, WRONG);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['www-authenticate']).toBe('Bearer');
      expect((await readAudit(service)).at(-1)).toMatchObject({ action: 'sign_in.failed', outcome: 'failure' });
    }
  });

  test('does not take a lone surrogate for the character that hashing makes of it', async () => {
    const { email } = await createAccount(service);
    const password = 'a good password \ufffd';
    const body = { email: `x-${email}`, role: 'viewer', password };
    await service.http
      .post('/users')
      .set(asAccount({ ...account, role: 'admin' }))
      .send(body)
      .expect(201);
    await post({ username: body.email, password: 'a good password \ud800' }).expect(401);
    await post({ username: body.email, password }).expect(204);
  });

  test('must be a JSON object with two texts, and nothing else', async () => {
    const { email: username, password } = account;
    const wrong: [unknown, string[]][] = [
      [{}, ['username', 'password']],
      [{ username }, ['password']],
      [{ username: [username], password }, ['username']],
      [{ username: null, password: 1 }, ['username', 'password']],
      [{ username, password, role: 'admin' }, ['role']],
      [[], ['']],
    ];
    for (const [body, paths] of wrong) {
      const { body: error } = await post(body).expect(400);
      expect(error.details.fields.map(({ path }: { path: string }) => path)).toEqual(paths);
    }
    await service.http.post('/session').set(asNobody()).type('form').send({ username, password }).expect(415);
    await service.http.post('/session').set(asNobody()).expect(400);
    await post({ username, password: 'x'.repeat(16 * 1024) }).expect(413);
  });
});

describe('GET /session', () => {
  test('tells who is signed in, and until when', async () => {
    const { id } = await signInBrowser();
    const { body } = await service.http.get('/session').set(asAccount(account, id)).expect(200);
    expect(body).toEqual({
      user: account.email,
      role: 'operator',
      scopes: [...ROLES.operator],
      expires_at: (await readSession(service, id))?.expires_at,
    });
  });

  test('tells the scopes of the request, and no end for a token without a session', async () => {
    const headers = { ...asAccount(account, claimsOf(await getTokens(service, account)).sid), 'x-fleet-scopes': '' };
    const { body } = await service.http.get('/session').set(headers).expect(200);
    expect(body).toEqual({ user: account.email, role: 'operator', scopes: [], expires_at: null });
  });

  test("does not tell of another user's session", async () => {
    const { id } = await signInBrowser();
    const { body } = await service.http
      .get('/session')
      .set(asAccount(await createAccount(service), id))
      .expect(200);
    expect(body.expires_at).toBeNull();
  });

  test.each([
    ['key', 'key:ci', 'ci'],
    ['oidc', 'oidc:corp:42', 'zoe@example.com'],
  ])('tells the name of a caller of type %s, which has no role', async (_type, principal, name) => {
    const headers = {
      ...asNobody(),
      'x-fleet-principal': principal,
      'x-fleet-actor-id': 'x',
      'x-fleet-actor-name': name,
      'x-fleet-scopes': 'agents:read',
    };
    const { body } = await service.http.get('/session').set(headers).expect(200);
    expect(body).toEqual({ user: name, role: null, scopes: ['agents:read'], expires_at: null });
    await service.http.delete('/session').set(headers).expect(204);
  });

  test('is null with optional=true and without a principal, and the same as always with one', async () => {
    const read = (query: string, headers = asNobody()) => service.http.get(`/session${query}`).set(headers);
    const { text, headers } = await read('?optional=true').expect(200);
    expect([text, headers['content-type']]).toEqual(['null', 'application/json; charset=utf-8']);
    await service.http.head('/session?optional=true').set(asNobody()).expect(200);
    const { id } = await signInBrowser();
    const plain = await read('', asAccount(account, id)).expect(200);
    for (const query of ['?optional=true', '?optional=false']) {
      expect((await read(query, asAccount(account, id)).expect(200)).body).toEqual(plain.body);
    }
    for (const query of ['?optional=false', '?optional=', '?optional=TRUE', '?optional=true&optional=true']) {
      await read(query).expect(403);
    }
    const { body } = await read('?optional=maybe', asAccount(account, id)).expect(400);
    expect(body.details.fields).toEqual([
      { path: 'optional', code: 'invalid_value', message: 'must be true or false' },
    ]);
    await service.http.delete('/session?optional=true').set(asNobody()).expect(403);
    await service.http.get('/sessions?optional=true').set(asNobody()).expect(403);
  });

  test('is refused without a principal, and 401 for a user who no longer exists', async () => {
    await service.http.get('/session').set(asNobody()).expect(403);
    const gone = asAccount({ ...account, id: '01997e6b-11c0-7d3e-9a57-8c4f2e6b0d18' });
    const { body } = await service.http.get('/session').set(gone).expect(401);
    expect(body).toEqual({ detail: 'Could not validate credentials' });
  });
});

describe('DELETE /session', () => {
  const remove = (headers: Record<string, string>) => service.http.delete('/session').set(headers).expect(204);

  test('ends the session, and removes the cookie', async () => {
    const { id, secret } = await signInBrowser();
    const { headers } = await remove(asAccount(account, id));
    expect(headers['set-cookie']).toEqual(['fleet=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0']);
    expect(await readSession(service, id)).toBeUndefined();
    expect(await service.redis.exists(service.keys.sessionHash(hash('sha256', secret)))).toBe(0);
    expect(await service.redis.exists(service.keys.revoked(id))).toBe(1);
    expect((await readChanges(service)).at(-1)).toBe(`session:${id}`);
    expect((await readAudit(service)).at(-1)).toMatchObject({
      actor: { type: 'user', id: account.id, name: account.email },
      action: 'session.ended',
      target: { type: 'session', id },
    });
  });

  test('over https removes the cookies of both names', async () => {
    const { id } = await signInBrowser();
    const { headers } = await remove({ ...asAccount(account, id), 'x-forwarded-proto': 'https' });
    expect(headers['set-cookie']).toEqual([
      '__Host-fleet=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0',
      'fleet=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0',
    ]);
  });

  test('ends a bearer token that has no stored session', async () => {
    const { sid } = claimsOf(await getTokens(service, account));
    await remove(asAccount(account, sid));
    expect(await service.redis.exists(service.keys.revoked(sid))).toBe(1);
    expect((await readChanges(service)).at(-1)).toBe(`session:${sid}`);
  });

  test('with a bearer token ends its refresh tokens too', async () => {
    const tokens = await getTokens(service, account, 'offline_access');
    await remove(asAccount(account, claimsOf(tokens).sid));
    await refresh(service, tokens.refresh_token).expect(400);
  });

  test('does not end the session of another user', async () => {
    const { id } = await signInBrowser();
    await remove(asAccount(await createAccount(service), id));
    expect(await readSession(service, id)).toBeDefined();
  });
});
