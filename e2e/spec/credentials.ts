import { describe, expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import { expectDetail, expectResponse, expectUnauthenticated } from './expectations.ts';

type Headers = Record<string, string | string[]>;

/** Specification "Authentication"; docs/contract.md "Credentials". */
export function specifyCredentials(api: Api): void {
  const get = (path: string, headers: Headers) => api.call('GET', path, { as: 'nobody', headers });
  const bearer = async (scheme = 'Bearer') => `${scheme} ${await api.token()}`;
  const key = () => api.apiKey;

  test('a token or an API key gives access to agents', async () => {
    expect((await get('/agents', { authorization: await bearer() })).status).toBe(200);
    expect((await get('/agents', { 'x-api-key': key() })).status).toBe(200);
    expect((await get('/agents', { authorization: await bearer(), 'x-api-key': key() })).status).toBe(200);
  });

  test('an API key gives the same access as a token', async () => {
    const agent = await api.createAgent();
    const made = await api.call('POST', `/agents/${agent.id}/tasks`, { as: 'token', body: { message: 'By token' } });
    expect(made.status).toBe(201);
    expect((await get(`/agents/${agent.id}/tasks`, { 'x-api-key': key() })).json).toEqual([made.json]);
  });

  test('/protected returns the e-mail address of a token, and is 401 with only an API key', async () => {
    const user = { user: api.admin.email };
    expectResponse(await get('/protected', { authorization: await bearer() }), 200, user);
    expectResponse(await get('/protected', { authorization: await bearer(), 'x-api-key': key() }), 200, user);
    expectUnauthenticated(await get('/protected', { 'x-api-key': key() }));
    expectUnauthenticated(await get('/protected', {}));
    const head = await api.call('HEAD', '/protected', { as: 'token' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  describe('a response that needs credentials, or to a request with some, is not stored by shared caches:', () => {
    const PRIVATE = 'private, no-cache';
    test.each([
      ['GET', '/agents', 200],
      ['GET', '/agents/missing', 404],
      ['GET', '/nowhere', 404],
      ['GET', '/agents/%2f', 400],
      ['PATCH', '/agents', 405],
      ['OPTIONS', '/agents', 204],
      ['POST', '/agents', 400],
      ['GET', '/health', 200],
    ] as const)('%s %s: %s', async (method, path, status) => {
      for (const as of ['token', 'key'] as const) {
        const response = await api.call(method, path, { as, ...(method === 'POST' && { body: {} }) });
        expect([response.status, response.headers['cache-control']]).toEqual([status, PRIVATE]);
      }
    });

    test('a current record, and refused credentials', async () => {
      const { id } = await api.createAgent();
      const { etag = '' } = (await api.get(`/agents/${id}`)).headers;
      const current = await api.get(`/agents/${id}`, { 'if-none-match': etag });
      expect([current.status, current.headers['cache-control']]).toEqual([304, PRIVATE]);
      const refused = await get('/agents', { 'x-api-key': 'wrong' });
      expect([refused.status, refused.headers['cache-control']]).toEqual([403, PRIVATE]);
      const missing = await get('/protected', {});
      expect([missing.status, missing.headers['cache-control']]).toEqual([401, PRIVATE]);
    });

    test('a response that has its own Cache-Control keeps it', async () => {
      for (const path of ['/api/skills', '/.well-known/jwks.json', '/openapi.json', '/docs']) {
        const own = (await get(path, {})).headers['cache-control'];
        expect(own).toMatch(/^public|^no-cache$/);
        expect((await get(path, { authorization: await bearer() })).headers['cache-control']).toBe(own);
      }
    });
  });

  test('the Bearer scheme is case-insensitive', async () => {
    for (const scheme of ['bearer', 'BEARER ', 'bEaReR']) {
      expect((await get('/protected', { authorization: await bearer(scheme) })).status).toBe(200);
    }
  });

  describe('an Authorization header without a valid token is 401, even with a valid key:', () => {
    const headers: Record<string, (token: string) => string> = {
      'no scheme': (token) => token,
      'no token': () => 'Bearer',
      'a blank token': () => 'Bearer  ',
      'another scheme': (token) => `Token ${token}`,
      Basic: () => `Basic ${Buffer.from('admin:admin').toString('base64')}`,
      'text after the token': (token) => `Bearer ${token} x`,
      'two tokens': (token) => `Bearer ${token}, Bearer ${token}`,
      'a token without its signature': (token) => `Bearer ${token.split('.').slice(0, 2).join('.')}.`,
      'a token with a changed payload': (token) => `Bearer ${token.replace(/\..*\./, '.eyJzdWIiOiJyb290In0.')}`,
      'a very long one': () => `Bearer ${'x'.repeat(20_000)}`,
    };
    test.each(Object.entries(headers))('%s', async (_what, toHeader) => {
      const authorization = toHeader(await api.token());
      expectUnauthenticated(await get('/protected', { authorization }));
      expectUnauthenticated(await get('/agents', { authorization }));
      expectUnauthenticated(await get('/agents', { authorization, 'x-api-key': key() }));
    });

    test('two Authorization headers', async () => {
      expectUnauthenticated(await get('/agents', { authorization: [await bearer(), 'Bearer wrong'] }));
    });
  });

  test('an invalid X-API-Key is 403, even with a valid token', async () => {
    for (const value of ['', `${key()}x`, key().slice(0, -1), `${key()},${key()}`]) {
      expectDetail(await get('/agents', { 'x-api-key': value }), 403, 'Invalid API key');
      const both = { 'x-api-key': value, authorization: await bearer() };
      expectDetail(await get('/agents', both), 403, 'Invalid API key');
      expectDetail(await get('/protected', both), 403, 'Invalid API key');
    }
    expectDetail(await get('/agents', { 'x-api-key': [key(), 'wrong'] }), 403, 'Invalid API key');
  });

  test('credentials in the query, in a cookie or in the other header are ignored', async () => {
    const token = await api.token();
    for (const query of [`access_token=${token}`, `token=${token}`, `api_key=${key()}`, `X-API-Key=${key()}`]) {
      expectUnauthenticated(await get(`/agents?${query}`, {}));
    }
    expectUnauthenticated(await get('/agents', { cookie: `access_token=${token}` }));
    expectUnauthenticated(await get('/agents', { authorization: `Bearer ${key()}` }));
    expectDetail(await get('/agents', { 'x-api-key': token }), 403, 'Invalid API key');
  });

  test('headers that only the gateway sets give no access', async () => {
    const names = ['x-fleet-principal', 'x_fleet_principal', 'x-fleet-internal-token', 'X-Fleet-Scopes'];
    const forged = Object.fromEntries(names.map((name) => [name, 'user:admin@example.com']));
    expectUnauthenticated(await get('/agents', forged));
    expect((await get('/agents', { ...forged, 'x-api-key': key() })).status).toBe(200);
  });
}
