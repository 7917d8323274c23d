import { gzipSync } from 'node:zlib';
import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateSecret, type JWK } from 'jose';
import { createJsonFetcher } from '../../src/auth/oidc/fetch-json.ts';
import type { OidcIssuer } from '../../src/auth/oidc/issuers-file.ts';
import { createOidcTokens } from '../../src/auth/oidc/oidc-tokens.ts';
import { AUDIENCE, CLIENT_ID, createSigningJwk, forgeToken, serveOnLoopback } from '../support/oidc-issuer.ts';

const DISCOVERY = '/.well-known/openid-configuration';
const UNAVAILABLE = expect.objectContaining({ status: 503 });

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

let key: JWK;
let publicKey: JWK;
let answers: (path: string) => Answer;
let server: Awaited<ReturnType<typeof serveOnLoopback>>;
let elsewhere: Awaited<ReturnType<typeof serveOnLoopback>>;

beforeAll(async () => {
  key = await createSigningJwk('first', 'ES256');
  const { d: _private, ...rest } = key;
  publicKey = rest;
  server = await serveOnLoopback((req, res) => {
    const { status = 200, headers, body } = answers(req.url ?? '');
    res.writeHead(status, headers).end(body);
  });
  elsewhere = await serveOnLoopback((req, res) => {
    res.end(req.url === DISCOVERY ? discovery() : JSON.stringify({ keys: [publicKey] }));
  });
});
afterEach(() => {
  server.paths.length = 0;
  elsewhere.paths.length = 0;
});

const discovery = (changes = {}) => JSON.stringify({ issuer: server.url, jwks_uri: `${server.url}/jwks`, ...changes });

/** Verifies a valid token of an issuer that answers like this. */
function verify(first: Answer, second: Answer = { body: JSON.stringify({ keys: [publicKey] }) }) {
  answers = (path) => (path === DISCOVERY ? first : second);
  return verifyAt(server.url, true);
}

async function verifyAt(url: string, allowInsecure: boolean) {
  const issuer: OidcIssuer = {
    name: 'corp',
    issuer: url,
    audience: AUDIENCE,
    algorithms: ['ES256'],
    role_claim: 'roles',
    roles: { a: 'admin' },
  };
  const oidc = createOidcTokens([issuer], { allowInsecure, logger: createLogger('test', 'silent') });
  own(oidc.close);
  return oidc.verify(await forgeToken(key, { iss: url }), issuer);
}

const keySetOf = (...keys: unknown[]): Answer => ({ body: JSON.stringify({ keys }) });

test('accepts the token when the documents are right', async () => {
  expect(await verify({ body: discovery() })).toMatchObject({ sub: CLIENT_ID });
  expect(server.paths).toEqual([DISCOVERY, '/jwks']);
});

describe('a discovery document is refused', () => {
  test.each<[string, () => Answer]>([
    ['that names another issuer', () => ({ body: discovery({ issuer: 'https://other.example' }) })],
    ['that names the issuer with a slash', () => ({ body: discovery({ issuer: `${server.url}/` }) })],
    ['without jwks_uri', () => ({ body: discovery({ jwks_uri: undefined }) })],
    ['with a jwks_uri that is a file', () => ({ body: discovery({ jwks_uri: 'file:///etc/passwd' }) })],
    ['with credentials in jwks_uri', () => ({ body: discovery({ jwks_uri: server.url.replace('//', '//a:b@') }) })],
    ['with another status', () => ({ status: 404, body: discovery() })],
    ['that redirects', () => ({ status: 302, headers: { location: `${elsewhere.url}${DISCOVERY}` } })],
    ['that is not JSON', () => ({ body: '<html>' })],
    ['that is not an object', () => ({ body: '[]' })],
    ['that is larger than 256 KiB', () => ({ body: discovery({ x: 'x'.repeat(262_144) }) })],
    ['that is compressed', () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(discovery()) })],
  ])('%s', async (_title, answer) => {
    await expect(verify(answer())).rejects.toEqual(UNAVAILABLE);
    expect(server.paths).toEqual([DISCOVERY]);
    expect(elsewhere.paths).toEqual([]);
  });
});

describe('a JWK Set is refused', () => {
  test.each<[string, () => Answer]>([
    ['that redirects', () => ({ status: 307, headers: { location: `${elsewhere.url}/jwks` } })],
    ['that is larger than 256 KiB', () => keySetOf({ ...publicKey, x5c: ['x'.repeat(262_144)] })],
    ['with more than 100 keys', () => keySetOf(...Array.from({ length: 101 }, (_, kid) => ({ ...publicKey, kid })))],
    ['without keys', () => ({ body: '{}' })],
    ['with a key that is no object', () => keySetOf(publicKey, 'x')],
  ])('%s', async (_title, answer) => {
    await expect(verify({ body: discovery() }, answer())).rejects.toEqual(UNAVAILABLE);
    expect(elsewhere.paths).toEqual([]);
  });
});

describe('a key does not verify tokens', () => {
  test.each<[string, () => unknown]>([
    ['that is private', () => key],
    ['for encryption', () => ({ ...publicKey, use: 'enc' })],
    ['for another algorithm', () => ({ ...publicKey, alg: 'ES384' })],
    ['that is malformed', () => ({ ...publicKey, x: 'AAAA' })],
  ])('%s', async (_title, create) => {
    expect(await verify({ body: discovery() }, keySetOf(create()))).toBeUndefined();
  });

  test('that is a secret', async () => {
    const secret = await generateSecret('HS256', { extractable: true });
    const jwk = { ...(await exportJWK(secret)), kid: 'first', alg: 'HS256' };
    expect(await verify({ body: discovery() }, keySetOf(jwk))).toBeUndefined();
  });
});

test('reads at most 256 KiB of a document without an end', async () => {
  let sent = 0;
  const endless = await serveOnLoopback((_req, res) => {
    const send = () => {
      while (res.writable && !res.destroyed && res.write('x'.repeat(65_536))) sent += 65_536;
    };
    res.on('drain', send);
    send();
  });
  await expect(verifyAt(endless.url, true)).rejects.toEqual(UNAVAILABLE);
  expect(sent).toBeLessThan(16 * 1024 ** 2);
});

describe('without permission for insecure issuers', () => {
  test.each([
    'http://127.0.0.1',
    'https://127.0.0.1',
    'https://localhost',
    'https://[::ffff:127.0.0.1]',
    'https://[::1]',
  ])('does not connect to %s', async (origin) => {
    let connections = 0;
    const target = await serveOnLoopback((_req, res) => res.end(discovery()));
    target.onConnection(() => connections++);
    const url = `${origin}:${target.port}`;
    await expect(verifyAt(url, false)).rejects.toEqual(UNAVAILABLE);
    const fetcher = createJsonFetcher({ allowInsecure: false });
    own(fetcher.close);
    await expect(fetcher.fetchJson(url, AbortSignal.timeout(5_000))).rejects.toThrow(/private address|https/);
    expect(connections).toBe(0);
  });
});
