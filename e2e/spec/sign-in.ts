import { expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { CallOptions } from '../harness/http-client.ts';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import { expectError, expectInvalid, expectResponse, expectUnauthenticated } from './expectations.ts';

const FORM = 'application/x-www-form-urlencoded';
const WRONG = 'Incorrect username or password';

/** docs/contract.md "Credentials": `POST /token`. */
export function specifySignIn(api: Api): void {
  function post(fields: Record<string, string> | string, options: CallOptions = {}) {
    const body = typeof fields === 'string' ? fields : String(new URLSearchParams(fields));
    return api.call('POST', '/token', { as: 'nobody', headers: { 'content-type': FORM }, body, ...options });
  }
  const admin = () => ({ username: api.admin.email, password: api.admin.password });
  /** Of a user of its own, whose failures count for nobody else. */
  const newUser = async () => {
    const { email: username, password } = await api.accounts.create();
    return { username, password };
  };

  test('the right e-mail address and password get a bearer token with Cache-Control: no-store', async () => {
    const response = await api.signIn();
    expectResponse(response, 200, {
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: CONTROLS_PROCESSES ? 1800 : expect.any(Number),
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const { access_token, expires_in } = response.json as { access_token: string; expires_in: number };
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: expect.any(String), aud: expect.anything(), sub: expect.stringMatching(/./) });
    expect(claims.exp - claims.iat).toBe(expires_in);
    const authorization = `Bearer ${access_token}`;
    expectResponse(await api.call('GET', '/protected', { as: 'nobody', headers: { authorization } }), 200, {
      user: api.admin.email,
    });
  });

  test('grant_type is optional, and unknown fields are ignored', async () => {
    expect((await post(admin())).status).toBe(200);
    const more = { client_id: 'x', client_secret: 'y', role: 'admin', refresh_token: 'z' };
    const full = await post({ ...admin(), grant_type: 'password', scope: '', ...more });
    expect([full.status, Object.keys(Object(full.json))]).toEqual([200, ['access_token', 'token_type', 'expires_in']]);
  });

  test('the e-mail address may be in capitals, with blanks around it', async () => {
    const { username, password } = admin();
    for (const other of [username.toUpperCase(), ` ${username} `]) {
      expect((await post({ username: other, password })).status).toBe(200);
    }
  });

  test('the media type of a form may have a charset', async () => {
    const headers = { 'content-type': `${FORM}; charset=UTF-8` };
    expect((await post(admin(), { headers })).status).toBe(200);
  });

  test('a wrong password, an unknown user and an empty password get the same 401', async () => {
    const { username, password } = await newUser();
    for (const fields of [
      { username, password: `${password}x` },
      { username, password: '' },
      { username, password: password.toUpperCase() },
      { username, password: ` ${password}` },
      { username, password: 'x'.repeat(5_000) },
      { username: `x${username}`, password },
      { username: 'x'.repeat(10_000), password },
      { username: 'not an e-mail', password },
      { username: '', password },
      { username: '', password: '' },
      { username: '__proto__', password },
      { username: `${username}\u0000`, password },
    ]) {
      const response = await post(fields);
      expectUnauthenticated(response, WRONG);
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });

  test('a missing field is 400 with its name', async () => {
    const { username, password } = admin();
    expectInvalid(await post({ username }), 'password');
    expectInvalid(await post({ password }), 'username');
    const invalid = await post('x=1');
    expectInvalid(invalid, 'username', 'password');
    expect(invalid.headers['cache-control']).toBe('no-store');
    for (const field of ['username', 'password', 'grant_type', 'scope']) {
      const once = new URLSearchParams({ username, password, grant_type: 'password', scope: 'x' });
      once.append(field, 'password');
      expectInvalid(await post(String(once)), field);
    }
    const empty = await post('');
    expectError(empty, 400, 'validation_error');
    expect(empty.headers['cache-control']).toBe('no-store');
  });

  test('a body that is not a form is 415, and one that is too large is 413', async () => {
    const json = { 'content-type': 'application/json' };
    expectError(await post(JSON.stringify(admin()), { headers: json }), 415, 'unsupported_media_type');
    expectError(await post('x', { headers: { 'content-type': 'text/plain' } }), 415, 'unsupported_media_type');
    expectError(await post({ ...admin(), more: 'x'.repeat(16 * 1024) }), 413, 'payload_too_large');
  });

  test('credentials in the query are ignored', async () => {
    const query = new URLSearchParams(admin());
    const form = { as: 'nobody', headers: { 'content-type': FORM }, body: 'x=1' } as const;
    expectInvalid(await api.call('POST', `/token?${query}`, form), 'username', 'password');
  });

  test('the time of a refusal does not reveal whether the user exists', async () => {
    const users = [await newUser(), await newUser(), await newUser()];
    const took = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 20; round++) {
      // Another user now and then, as the failures of one are limited.
      const known = users[round % users.length]?.username ?? '';
      for (const [name, username] of Object.entries({ known, unknown: `x${known}` })) {
        const before = performance.now();
        expectUnauthenticated(await post({ username, password: 'wrong' }), WRONG);
        took[name as keyof typeof took].push(performance.now() - before);
      }
    }
    const ratio = Math.min(...took.unknown) / Math.min(...took.known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
}
