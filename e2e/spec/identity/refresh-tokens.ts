import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Account, bearer, type TokenReply } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import { expectInvalid, expectResponse, expectUnauthenticated, UUID_V7 } from '../expectations.ts';
import { untilRefused } from './users.ts';

/** The predecessor of a refresh token is good for so long. */
const REPEAT_MS = 10_000;

/** docs/contract.md "Credentials": scopes of tokens, refresh tokens, `POST /revoke`. */
export function specifyRefreshTokens(api: Api): void {
  const { accounts } = api;

  function expectOAuthError(response: HttpResponse, error: string): void {
    expectResponse(response, 400, { error, error_description: expect.stringMatching(/./) });
    expect(response.headers['cache-control']).toBe('no-store');
  }

  async function family(account?: Account, scope = 'offline_access') {
    const owner = account ?? (await accounts.create('operator'));
    const { access_token, refresh_token = '' } = await accounts.signIn(owner, scope);
    return { account: owner, access: access_token, refresh: refresh_token };
  }

  const next = async (refreshToken: string) => (await accounts.refresh(refreshToken)).json as Required<TokenReply>;
  const isGood = async (accessToken: string) =>
    (await api.call('GET', '/protected', { as: bearer(accessToken) })).status === 200;
  const scopesOf = async (accessToken: string) =>
    ((await api.call('GET', '/session', { as: bearer(accessToken) })).json as { scopes: string[] }).scopes;

  describe('The scope of a token', () => {
    test('is that of the role without the parameter, and no refresh token comes without offline_access', async () => {
      const account = await accounts.create('worker');
      const reply = await accounts.signIn(account);
      expect(Object.keys(reply)).toEqual(['access_token', 'token_type', 'expires_in']);
      expect(await scopesOf(reply.access_token)).toEqual(['agents:read', 'tasks:read', 'leases:write']);
    });

    test('narrows it, and the answer names it', async () => {
      const account = await accounts.create('worker');
      const { access_token, scope, refresh_token } = await accounts.signIn(account, ' tasks:read  tasks:read ');
      expect([scope, refresh_token]).toEqual(['tasks:read', undefined]);
      const both = await accounts.signIn(account, 'tasks:read agents:read offline_access');
      expect(both.scope).toBe('agents:read tasks:read offline_access');
      for (const blank of ['', ' ', '   ']) expect((await accounts.signIn(account, blank)).scope).toBeUndefined();
      expect(await scopesOf(access_token)).toEqual(['tasks:read']);
      expect((await api.call('GET', '/agents', { as: bearer(access_token) })).status).toBe(403);
      expect((await api.call('GET', '/tasks', { as: bearer(access_token) })).status).toBe(200);
    });

    test('is 400 invalid_scope if it is unknown, or more than the role has', async () => {
      const { email: username, password, id } = await accounts.create('worker');
      const unknown = ['everything', 'TASKS:READ', '__proto__', 'toString', 'agents:read,tasks:read'];
      for (const scope of ['tasks:write', 'tasks:read users:admin', 'agents:read\ttasks:read', ...unknown]) {
        expectOAuthError(await accounts.postToken({ username, password, scope }), 'invalid_scope');
      }
      expectInvalid(await accounts.postToken({ username, password, scope: 'x'.repeat(1_001) }), 'scope');
      const { json } = await api.get(`/audit-events?actor=${id}`);
      const refused = { action: 'token.refused', target: { type: 'user', id }, outcome: 'failure' };
      expect(json).toEqual(Array(8).fill(expect.objectContaining(refused)));
    });

    test('is not looked at before the password', async () => {
      const { email: username } = await accounts.create();
      const refused = await accounts.postToken({ username, password: 'wrong', scope: 'everything' });
      expectUnauthenticated(refused, 'Incorrect username or password');
    });
  });

  describe('A refresh token', () => {
    test('is replaced at each use, and its access tokens go on working', async () => {
      const { access, refresh, account } = await family();
      const first = await next(refresh);
      expect(first).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'bearer',
        expires_in: expect.any(Number),
        refresh_token: expect.stringMatching(/^[\w-]{43,}$/),
      });
      const second = await next(first.refresh_token);
      expect(new Set([refresh, first.refresh_token, second.refresh_token]).size).toBe(3);
      for (const token of [access, first.access_token, second.access_token]) expect(await isGood(token)).toBe(true);
      const protectedBy = await api.call('GET', '/protected', { as: bearer(second.access_token) });
      expectResponse(protectedBy, 200, { user: account.email });
    });

    test('gets the same successor from two clients at once, or when an answer was lost', async () => {
      const { refresh } = await family();
      const replies = await Promise.all(Array.from({ length: 8 }, () => next(refresh)));
      expect(new Set(replies.map(({ refresh_token }) => refresh_token)).size).toBe(1);
      await sleep(1_000);
      const [again, successor] = [await next(refresh), String(replies[0]?.refresh_token)];
      expect(again.refresh_token).toBe(successor);
      expect((await accounts.refresh(successor)).status).toBe(200);
    });

    test('that is older than the one before ends the session at once: it was stolen', async () => {
      const { refresh, access, account } = await family();
      const stolen = refresh;
      const first = await next(refresh);
      const second = await next(first.refresh_token);
      expectOAuthError(await accounts.refresh(stolen), 'invalid_grant');
      for (const token of [second.refresh_token, first.refresh_token, stolen]) {
        expectOAuthError(await accounts.refresh(token), 'invalid_grant');
      }
      for (const token of [access, first.access_token, second.access_token])
        await untilRefused(api, bearer(token), 401);
      const audit = await api.get(`/audit-events?actor=${account.id}&action=session.family_revoked`);
      expect(audit.json).toEqual([expect.objectContaining({ target: { type: 'session', id: expect.any(String) } })]);
      // Another session of the same user stays.
      expect((await api.call('GET', '/session', { as: await accounts.signInAs(account) })).status).toBe(200);
    });

    test('that was replaced more than 10 s ago ends the session', async () => {
      const { refresh } = await family();
      const { access_token, refresh_token } = await next(refresh);
      await sleep(REPEAT_MS + 200);
      expect(await isGood(access_token)).toBe(true);
      expectOAuthError(await accounts.refresh(refresh), 'invalid_grant');
      expectOAuthError(await accounts.refresh(refresh_token), 'invalid_grant');
      await untilRefused(api, bearer(access_token), 401);
    });

    test('that is forged or changed is refused, and ends nothing', async () => {
      const { refresh } = await family();
      const changed = refresh.slice(0, 30) + (refresh[30] === 'A' ? 'B' : 'A') + refresh.slice(31);
      for (const token of ['', 'x', changed, refresh.toUpperCase(), `${refresh}A`, refresh.slice(1), '\u0000', '{}']) {
        expectOAuthError(await accounts.refresh(token), 'invalid_grant');
      }
      expect((await accounts.refresh(refresh)).status).toBe(200);
    });

    test('narrows its access tokens, and cannot widen them', async () => {
      const { refresh } = await family(undefined, 'offline_access tasks:read agents:read');
      const reply = await accounts.refresh(refresh, { scope: 'tasks:read' });
      expect(reply.status).toBe(200);
      const { access_token, refresh_token, scope } = reply.json as Required<TokenReply>;
      expect([scope, await scopesOf(access_token)]).toEqual(['tasks:read', ['tasks:read']]);
      for (const more of ['tasks:write', 'tasks:read users:admin', 'x', 'agents:read,tasks:read']) {
        expectOAuthError(await accounts.refresh(refresh_token, { scope: more }), 'invalid_scope');
      }
      expect(await scopesOf((await next(refresh_token)).access_token)).toEqual(['agents:read', 'tasks:read']);
    });

    test('has no more scopes than the present role of its user', async () => {
      const { refresh, account } = await family();
      await api.call('PUT', `/users/${account.id}`, { body: { role: 'viewer', disabled: false } });
      expect(await scopesOf((await next(refresh)).access_token)).toEqual(['agents:read', 'tasks:read', 'events:read']);
    });

    test('cannot be asked for a scope that the role of its user has lost', async () => {
      const { refresh, account } = await family(undefined, 'offline_access tasks:read tasks:write');
      await api.call('PUT', `/users/${account.id}`, { body: { role: 'viewer', disabled: false } });
      expectOAuthError(await accounts.refresh(refresh, { scope: 'tasks:write' }), 'invalid_scope');
      const narrowed = await next(refresh);
      expect(await scopesOf(narrowed.access_token)).toEqual(['tasks:read']);
      // Nor does it grow with the role.
      await api.call('PUT', `/users/${account.id}`, { body: { role: 'admin', disabled: false } });
      const grown = await next(narrowed.refresh_token);
      expect(await scopesOf(grown.access_token)).toEqual(['tasks:read', 'tasks:write']);
    });

    test('is no access token, and an access token is no refresh token', async () => {
      const { refresh, access } = await family();
      expectUnauthenticated(await api.call('GET', '/protected', { as: bearer(refresh) }));
      expectOAuthError(await accounts.refresh(access), 'invalid_grant');
    });
  });

  test('another grant is 400 invalid_grant, and a missing refresh token is named', async () => {
    for (const grant_type of ['client_credentials', 'authorization_code', 'Password', '']) {
      expectOAuthError(await accounts.postToken({ grant_type, username: 'x', password: 'y' }), 'invalid_grant');
    }
    expectInvalid(await accounts.postToken({ grant_type: 'refresh_token' }), 'refresh_token');
  });

  describe('POST /revoke', () => {
    test('of an access token ends that token only', async () => {
      const { access, refresh, account } = await family();
      const other = (await accounts.signIn(account)).access_token;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = String(new URLSearchParams({ token: access, token_type_hint: 'refresh_token' }));
      const response = await api.call('POST', '/revoke', { as: 'nobody', headers, body });
      expect([response.status, response.text, response.headers['cache-control']]).toEqual([200, '', 'no-store']);
      await untilRefused(api, bearer(access), 401);
      expect(await isGood(other)).toBe(true);
      const { access_token } = await next(refresh);
      expect(await isGood(access_token)).toBe(true);
    });

    test('of a refresh token, present or past, ends its session with all access tokens', async () => {
      for (const which of ['present', 'past'] as const) {
        const { access, refresh } = await family();
        const { refresh_token: between } = await next(refresh);
        const { access_token, refresh_token } = await next(between);
        expect((await accounts.revoke(which === 'present' ? refresh_token : refresh)).status).toBe(200);
        for (const token of [access, access_token]) await untilRefused(api, bearer(token), 401);
        expectOAuthError(await accounts.refresh(refresh_token), 'invalid_grant');
      }
    });

    test('is 200 for whatever is no token, again and again, and 400 without one', async () => {
      const { access, refresh } = await family();
      for (const token of ['', 'x', 'a.b.c', `${access}x`, 'x'.repeat(8_000), refresh, refresh, access, access]) {
        expect((await accounts.revoke(token)).status).toBe(200);
      }
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const send = (body: string) => api.call('POST', '/revoke', { as: 'nobody', headers, body });
      for (const body of ['x=1', 'token_type_hint=access_token', 'token=a&token=b']) {
        expectInvalid(await send(body), 'token');
      }
      expect((await send('token=a&token_type_hint=b&token_type_hint=c&x=1')).status).toBe(200);
    });
  });

  test('each sign-in gets a token and a session of its own', async () => {
    const account = await accounts.create();
    const replies = await Promise.all(Array.from({ length: 5 }, () => accounts.signIn(account, 'offline_access')));
    for (const field of ['access_token', 'refresh_token'] as const) {
      expect(new Set(replies.map((reply) => reply[field])).size).toBe(5);
    }
    const claims = replies.map(({ access_token }) =>
      JSON.parse(Buffer.from(String(access_token.split('.')[1]), 'base64url').toString()),
    );
    const ids = claims.flatMap(({ jti, sid }) => [jti, sid]);
    expect(new Set(ids).size).toBe(10);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(claims[0]).toEqual({
      iss: expect.any(String),
      aud: expect.anything(),
      sub: account.email,
      uid: account.id,
      scope: 'agents:read tasks:read events:read',
      jti: expect.any(String),
      sid: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      auth_time_ms: expect.any(Number),
    });
    expect(Math.abs(claims[0].auth_time_ms - Date.now())).toBeLessThan(60_000);
  });
}
