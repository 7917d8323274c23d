import { describe, expect, test } from '@jest/globals';
import { type Account, bearer } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import type { Credential } from '../../harness/http-client.ts';
import { CONTROLS_PROCESSES } from '../../harness/system.ts';
import {
  expectDetail,
  expectError,
  expectForbidden,
  expectInvalid,
  expectNoBody,
  expectResponse,
  expectUnauthenticated,
  linksOf,
  TIMESTAMP,
  UUID_V7,
} from '../expectations.ts';
import { untilRefused } from './users.ts';

const WRONG = 'Incorrect username or password';
const NOT_FOUND = 'Session not found';
/** Of a cookie. */
const LIFE_MS = 7 * 86_400_000;

interface Session {
  id: string;
  kind: string;
  created_at: string;
  last_used_at: string;
  address: string;
  user_agent: string;
}

/** docs/contract.md "Sessions". */
export function specifySessions(api: Api): void {
  const { accounts } = api;
  const toFields = ({ email: username, password }: Account) => ({ username, password });
  const listOf = async (as: Credential) => (await api.call('GET', '/sessions', { as })).json as Session[];

  test('POST /session sets a cookie that no script can read', async () => {
    const response = await accounts.postSession(toFields(await accounts.create()));
    expectNoBody(response, 204);
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^fleet=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('POST /session takes only JSON with both fields', async () => {
    const account = await accounts.create();
    const { email: username, password } = account;
    for (const [body, ...paths] of [
      [{}, 'username', 'password'],
      [{ username }, 'password'],
      [{ username: [username], password }, 'username'],
      [{ username: null, password: 1 }, 'username', 'password'],
      [{ username, password, role: 'admin' }, 'role'],
      [[], ''],
    ] as const) {
      expectInvalid(await accounts.postSession(body), ...paths);
    }
    // What a form of another site can send.
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const body = JSON.stringify(toFields(account));
      const refused = await api.call('POST', '/session', { as: 'nobody', headers: { 'content-type': type }, body });
      expectError(refused, 415, 'unsupported_media_type');
    }
  });

  test('a lone surrogate in a password is not the character that hashing makes of it', async () => {
    const [username, password] = [`${crypto.randomUUID()}@e2e.example`, `${accounts.newPassword()}\ufffd`];
    const { id } = (await api.call('POST', '/users', { body: { email: username, role: 'viewer', password } }))
      .json as Account;
    expectUnauthenticated(
      await accounts.postSession({ username, password: password.replace('\ufffd', '\ud800') }),
      WRONG,
    );
    expectNoBody(await accounts.postSession({ username, password }), 204);
    await api.call('DELETE', `/users/${id}`);
  });

  test('a password signs in however its accents are composed', async () => {
    const username = `${crypto.randomUUID()}@e2e.example`;
    const password = `${accounts.newPassword()} Bj\u00f6rk`;
    const body = { email: username, role: 'viewer', password: password.normalize('NFD') };
    const { id } = (await api.call('POST', '/users', { body })).json as Account;
    for (const form of ['NFC', 'NFD']) {
      expectNoBody(await accounts.postSession({ username, password: password.normalize(form) }), 204);
    }
    expectUnauthenticated(await accounts.postSession({ username, password: password.replace('\u00f6', 'o') }), WRONG);
    await api.call('DELETE', `/users/${id}`);
  });

  test('GET /session shows who sent the request, by any credentials', async () => {
    const account = await accounts.create('worker');
    const cookie = await accounts.openSession(account);
    const scopes = ['agents:read', 'tasks:read', 'leases:write'];
    const read = async (as: Credential) => await api.call('GET', '/session', { as });
    const own = { user: account.email, role: 'worker', scopes };
    const byCookie = await read(cookie);
    expectResponse(byCookie, 200, { ...own, expires_at: expect.stringMatching(TIMESTAMP) });
    const { expires_at } = byCookie.json as { expires_at: string };
    expect(Math.abs(Date.parse(expires_at) - Date.now() - LIFE_MS)).toBeLessThan(60_000);
    expectResponse(await read(await accounts.signInAs(account)), 200, { ...own, expires_at: null });
    const { key } = await accounts.createKey({ name: 'Ours', role: 'viewer' });
    expectResponse(await read({ 'x-api-key': key }), 200, {
      user: 'Ours',
      role: null,
      scopes: ['agents:read', 'tasks:read', 'events:read'],
      expires_at: null,
    });
    expectUnauthenticated(await api.call('GET', '/session', { as: 'nobody' }));
  });

  test('GET /session?optional=true is null when nobody is signed in', async () => {
    const account = await accounts.create('viewer');
    const cookie = await accounts.openSession(account);
    const check = async (as: Credential | 'nobody', query = 'optional=true') =>
      await api.call('GET', `/session?${query}`, { as });
    const expectNobody = async (as: Credential | 'nobody') => {
      const { status, text, headers } = await check(as);
      expect([status, text, headers['cache-control']]).toEqual([200, 'null', 'private, no-cache']);
    };
    for (const as of ['nobody', { cookie: `fleet=${'A'.repeat(43)}` }, { cookie: 'fleet=' }] as const) {
      await expectNobody(as);
      for (const query of [
        ...[
          'optional=false',
          'optional=maybe',
          'optional=',
          'optional',
          'optional=TRUE',
          'optional=1',
          'OPTIONAL=true',
        ],
        ...['optional=true&optional=true', 'optional[]=true', 'optional.x=true', 'x=optional=true'],
      ]) {
        expectUnauthenticated(await check(as, query));
      }
    }
    const signedIn = (await api.call('GET', '/session', { as: cookie })).json;
    for (const query of ['optional=true', 'optional=false']) expectResponse(await check(cookie, query), 200, signedIn);
    expectInvalid(await check(cookie, 'optional=maybe'), 'optional');
    for (const as of [bearer('wrong'), { authorization: '' }]) {
      for (const other of [{}, cookie]) expectUnauthenticated(await check({ ...other, ...as }));
    }
    expectDetail(await check({ ...cookie, 'x-api-key': 'wrong' }), 403, 'Invalid API key');
    expect((await api.call('HEAD', '/session?optional=true', { as: 'nobody' })).status).toBe(200);
    for (const method of ['DELETE', 'PUT', 'OPTIONS']) {
      expectUnauthenticated(await api.call(method, '/session?optional=true', { as: 'nobody' }));
    }
    for (const path of ['/sessions', '/users', '/users/me', '/agents', '/agents/x', '/protected']) {
      expectUnauthenticated(await api.call('GET', `${path}?optional=true`, { as: 'nobody' }));
    }
    expectNoBody(await api.call('DELETE', '/session', { as: cookie }), 204);
    await untilRefused(api, cookie, 401);
    await expectNobody(cookie);
  });

  test('the cookie gives access to everything but /protected', async () => {
    const cookie = await accounts.openSession(await accounts.create('operator'));
    for (const path of ['/agents', '/tasks', '/events?limit=1', '/users/me', '/sessions', '/api-keys']) {
      expect([path, (await api.call('GET', path, { as: cookie })).status]).toEqual([path, 200]);
    }
    const body = { name: 'By cookie', type: api.types[0] };
    const made = await api.call('POST', '/agents', { as: cookie, body });
    expect(made.status).toBe(201);
    await api.call('DELETE', `/agents/${(made.json as { id: string }).id}`);
    expectUnauthenticated(await api.call('GET', '/protected', { as: cookie }));
  });

  test('credentials in headers go before the cookie, and an invalid one is not made good by it', async () => {
    const [account, other] = [await accounts.create(), await accounts.create()];
    const cookie = await accounts.openSession(account);
    const token = await accounts.signInAs(other);
    const read = await api.call('GET', '/session', { as: { ...cookie, ...token } });
    expect(read.json).toMatchObject({ user: other.email });
    expect((await api.call('GET', '/protected', { as: { ...cookie, ...token } })).json).toEqual({ user: other.email });
    const crossSite = { ...cookie, ...token, 'sec-fetch-site': 'cross-site' };
    expectInvalid(
      await api.call('PUT', '/users/me/password', { as: crossSite, body: {} }),
      'current_password',
      'new_password',
    );
    expectUnauthenticated(await api.call('GET', '/session', { as: { ...cookie, ...bearer('wrong') } }));
    expectDetail(
      await api.call('GET', '/session', { as: { ...cookie, 'x-api-key': 'wrong' } }),
      403,
      'Invalid API key',
    );
  });

  describe('a cookie that is not exactly one is 401:', () => {
    const cookies: Record<string, (secret: string) => string> = {
      'another secret': () => `fleet=${'A'.repeat(43)}`,
      'no secret': () => 'fleet=',
      'a quoted secret': (secret) => `fleet="${secret}"`,
      'text behind it': (secret) => `fleet=${secret}A`,
      'two of them': (secret) => `fleet=${secret}; fleet=${secret}`,
      'one behind another': (secret) => `fleet=${'A'.repeat(43)}; fleet=${secret}`,
      'the name in capitals': (secret) => `FLEET=${secret}`,
      'the name of https over http': (secret) => `__Host-fleet=${secret}`,
    };
    test.each(Object.entries(cookies))('%s', async (_what, toCookie) => {
      const { cookie = '' } = await accounts.openSession(await accounts.create());
      const changed = toCookie(cookie.slice('fleet='.length));
      expectUnauthenticated(await api.call('GET', '/session', { as: { cookie: changed } }));
      expect((await api.call('GET', '/session', { as: { cookie: `a=b; ${cookie}; c=d` } })).status).toBe(200);
    });
  });

  describe('with a cookie, a change must come from a page of the same origin:', () => {
    const { host } = new URL(process.env.E2E_BASE_URL ?? 'http://fleet.example');
    const own = `http://${host}`;
    const table: [headers: Record<string, string>, isAllowed: boolean][] = [
      [{ 'sec-fetch-site': 'same-origin' }, true],
      [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, true],
      [{ 'sec-fetch-site': 'same-site' }, false],
      [{ 'sec-fetch-site': 'cross-site' }, false],
      [{ 'sec-fetch-site': 'none' }, false],
      [{ 'sec-fetch-site': '' }, false],
      [{ 'sec-fetch-site': 'Same-Origin' }, false],
      [{ 'sec-fetch-site': 'cross-site', origin: own }, false],
      [{ 'sec-fetch-site': 'same-site', origin: own }, false],
      [{ origin: own }, true],
      [{ origin: 'https://evil.example' }, false],
      [{ origin: `http://${host}.evil.example` }, false],
      [{ origin: `http://evil.example/${host}` }, false],
      [{ origin: `http://${host}@evil.example` }, false],
      [{ origin: 'null' }, false],
      [{ origin: '' }, false],
      [{ origin: host }, false],
      [{ origin: `//${host}` }, false],
      [{ origin: `${own}0` }, false],
      [{ origin: `http://evil.example?${host}` }, false],
      [{ origin: 'file://' }, false],
      [{ origin: 'not a URL' }, false],
      [{ referer: `${own}/` }, false],
      [{}, false],
    ];
    test.each(table)('%j: %s', async (headers, isAllowed) => {
      const account = await accounts.create('admin');
      const { cookie = '' } = await accounts.openSession(account);
      const as = { cookie, host, ...headers };
      // Programs send neither.
      const isPage = 'origin' in headers || 'sec-fetch-site' in headers;
      const signedIn = await accounts.postSession(toFields(account), { host, ...headers });
      expect(signedIn.status).toBe(isAllowed || !isPage ? 204 : 403);
      for (const [method, path] of [
        ['POST', '/agents'],
        ['PUT', '/agents/missing'],
        ['DELETE', '/agents/missing'],
        ['POST', '/leases'],
        ['POST', '/users'],
        ['PUT', '/users/me/password'],
        ['DELETE', '/sessions/missing'],
      ] as const) {
        const response = await api.call(method, path, { as, body: method === 'DELETE' ? undefined : {} });
        if (isAllowed) expect([400, 404]).toContain(response.status);
        else expectError(response, 403, 'forbidden');
      }
      for (const [method, status] of [
        ['GET', 200],
        ['HEAD', 200],
        ['OPTIONS', 204],
      ] as const) {
        expect((await api.call(method, '/agents', { as })).status).toBe(status);
      }
    });
  });

  test('a sign-in from a page whose address a proxy hides says what to set, and sets no cookie', async () => {
    const account = await accounts.create();
    const page = { host: '10.0.0.7:8080', origin: 'http://console.example:81' };
    const refused = await accounts.postSession(toFields(account), page);
    expectError(refused, 403, 'forbidden');
    const { message } = refused.json as { message: string };
    for (const word of [page.origin, page.host, 'PUBLIC_URL', 'TRUSTED_PROXIES', 'X-Forwarded-Host']) {
      expect(message).toContain(word);
    }
    expect(refused.headers['set-cookie']).toBeUndefined();
  });

  test('a sign-in never takes over a cookie that was there before', async () => {
    const [attacker, account] = [await accounts.create(), await accounts.create()];
    const planted = await accounts.openSession(attacker);
    const { headers } = await accounts.postSession(toFields(account), planted);
    const [set = ''] = headers['set-cookie'] ?? [];
    expect(set).not.toContain(String(planted.cookie));
    expect((await api.call('GET', '/session', { as: planted })).json).toMatchObject({ user: attacker.email });
    const invented = `fleet=${'B'.repeat(43)}`;
    const again = await accounts.postSession(toFields(account), { cookie: invented });
    expect(again.headers['set-cookie']?.[0]).not.toContain(invented);
    expectUnauthenticated(await api.call('GET', '/session', { as: { cookie: invented } }));
  });

  test('DELETE /session ends the session, and removes the cookie', async () => {
    const account = await accounts.create();
    const [cookie, other] = [await accounts.openSession(account), await accounts.openSession(account)];
    const response = await api.call('DELETE', '/session', { as: cookie });
    expectNoBody(response, 204);
    expect(response.headers['set-cookie']).toEqual(['fleet=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0']);
    await untilRefused(api, cookie, 401);
    expect((await api.call('GET', '/session', { as: other })).status).toBe(200);
    const crossSite = { cookie: String(other.cookie), 'sec-fetch-site': 'cross-site' };
    expectError(await api.call('DELETE', '/session', { as: crossSite }), 403, 'forbidden');
  });

  test('DELETE /session with a token ends all tokens of its session', async () => {
    const account = await accounts.create();
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const other = await accounts.signInAs(account);
    const refreshed = (await accounts.refresh(refresh_token)).json as { access_token: string; refresh_token: string };
    expectNoBody(await api.call('DELETE', '/session', { as: bearer(access_token) }), 204);
    for (const token of [access_token, refreshed.access_token]) await untilRefused(api, bearer(token), 401);
    expect((await accounts.refresh(refreshed.refresh_token)).status).toBe(400);
    expect((await api.call('GET', '/session', { as: other })).status).toBe(200);
    // One without a refresh token, whose session is not stored.
    expectNoBody(await api.call('DELETE', '/session', { as: other }), 204);
    await untilRefused(api, other, 401);
  });

  test('DELETE /session with a key is 204, and the key goes on working', async () => {
    const as = { 'x-api-key': (await accounts.createKey()).key };
    expectNoBody(await api.call('DELETE', '/session', { as }), 204);
    expect((await api.call('GET', '/session', { as })).status).toBe(200);
  });

  test('GET /sessions lists the own sessions, oldest first', async () => {
    const account = await accounts.create();
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const { headers } = await accounts.postSession(toFields(account), { 'user-agent': `Browser/1 ${'x'.repeat(300)}` });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    const as = { cookie: cookie.slice(0, cookie.indexOf(';')) };
    await accounts.refresh(refresh_token);
    const found = await listOf(as);
    const session = {
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      last_used_at: expect.stringMatching(TIMESTAMP),
      address: expect.stringMatching(/^[\da-f.:]+$/),
      user_agent: expect.any(String),
    };
    expect(found).toEqual([
      { ...session, kind: 'refresh' },
      { ...session, kind: 'browser', user_agent: `Browser/1 ${'x'.repeat(190)}` },
    ]);
    const [refreshed] = found as [Session];
    expect(Date.parse(refreshed.last_used_at)).toBeGreaterThan(Date.parse(refreshed.created_at));
    const list = (query: string) => api.call('GET', `/sessions?${query}`, { as: bearer(access_token) });
    const page = await list('limit=1');
    expectResponse(page, 200, found.slice(0, 1));
    expect([page.headers['x-total-count'], linksOf(page).next]).toEqual(['2', '/sessions?limit=1&skip=1']);
    expectResponse(await list('skip=1&limit=1'), 200, found.slice(1));
    expectResponse(await list('skip=100'), 200, []);
    expectResponse(await list('user_id='), 200, found);
    expectInvalid(await list('user_id=a&user_id=b'), 'user_id');
  });

  test('a key has no sessions of its own, and lists those of a user with users:admin only', async () => {
    const { id } = await accounts.create();
    const as = { 'x-api-key': (await accounts.createKey()).key };
    expectError(await api.get('/sessions'), 403, 'forbidden');
    expectError(await api.call('GET', '/sessions', { as }), 403, 'forbidden');
    expectForbidden(await api.call('GET', `/sessions?user_id=${id}`, { as }), 'users:admin');
    expectResponse(await api.get(`/sessions?user_id=${id}`), 200, []);
    for (const unknown of ['missing', crypto.randomUUID(), '__proto__', '*', '..%2Fusers']) {
      expectDetail(await api.get(`/sessions?user_id=${unknown}`), 404, 'User not found');
    }
  });

  test('a session can be ended by its user or an admin, and by nobody else', async () => {
    const [account, other] = [await accounts.create(), await accounts.create('operator')];
    const [cookie, stranger] = [await accounts.openSession(account), await accounts.signInAs(other)];
    await accounts.signIn(account, 'offline_access');
    const [first, second] = (await listOf(cookie)) as [Session, Session];
    const key = { 'x-api-key': (await accounts.createKey()).key };
    for (const id of [first.id, second.id, 'missing']) {
      for (const as of [stranger, key]) {
        expectDetail(await api.call('DELETE', `/sessions/${id}`, { as }), 404, NOT_FOUND);
      }
    }
    for (const user of [account.id, 'missing']) {
      const refused = await api.call('GET', `/sessions?user_id=${user}`, { as: stranger });
      expectForbidden(refused, 'users:admin');
    }
    expect((await api.get(`/sessions?user_id=${account.id}`)).json).toEqual([
      expect.objectContaining({ id: first.id }),
      expect.objectContaining({ id: second.id }),
    ]);
    expectNoBody(await api.call('DELETE', `/sessions/${second.id}`, { as: cookie }), 204);
    expectDetail(await api.call('DELETE', `/sessions/${second.id}`, { as: cookie }), 404, NOT_FOUND);
    expectNoBody(await api.call('DELETE', `/sessions/${first.id}`), 204);
    await untilRefused(api, cookie, 401);
  });

  if (!CONTROLS_PROCESSES) return;

  test.each([
    ['console.example:81', 'http://console.example:81', 204],
    ['console.example:80', 'http://console.example', 204],
    ['evil.example, console.example', 'http://console.example', 204],
    ['console.example, evil.example', 'http://console.example', 403],
    ['console.example', 'http://console.example:81', 403],
    ['', 'http://console.example', 403],
  ])('behind a trusted proxy that says the host is %j, a page at %s signs in: %i', async (host, origin, status) => {
    const account = await accounts.create();
    const headers = { host: '127.0.0.1:8190', 'x-forwarded-host': host, origin };
    expect((await accounts.postSession(toFields(account), headers)).status).toBe(status);
  });

  test('behind a trusted proxy that says https, the cookie is __Host-fleet with Secure', async () => {
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' };
    const account = await accounts.create();
    const { headers } = await accounts.postSession(toFields(account), https);
    const [set = ''] = headers['set-cookie'] ?? [];
    expect(set).toMatch(/^__Host-fleet=[\w-]{43}; HttpOnly; Secure; SameSite=Strict; Path=\/$/);
    const secret = set.slice(set.indexOf('=') + 1, set.indexOf(';'));
    accounts.secrets.add(secret);
    const as = { cookie: `__Host-fleet=${secret}` };
    expect((await api.call('GET', '/session', { as, headers: https })).status).toBe(200);
    expectUnauthenticated(await api.call('GET', '/session', { as }));
    const plain = { cookie: `fleet=${secret}` };
    expectUnauthenticated(await api.call('GET', '/session', { as: plain, headers: https }));
    expect((await listOf({ ...as, ...https }))[0]?.address).toBe('192.0.2.7');
    const own = { ...as, 'sec-fetch-site': 'same-origin' };
    const ended = await api.call('DELETE', '/session', { as: own, headers: https });
    expect(ended.headers['set-cookie']).toEqual([
      '__Host-fleet=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0',
      'fleet=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0',
    ]);
  });
}
