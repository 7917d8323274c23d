import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type JWTPayload, SignJWT } from 'jose';
import type { OidcIssuer } from '../../src/auth/oidc/issuers-file.ts';
import { createOidcTokens } from '../../src/auth/oidc/oidc-tokens.ts';
import {
  AUDIENCE,
  CLIENT_ID,
  createSigningJwk,
  forgeToken,
  type RunningIssuer,
  startOidcIssuer,
} from '../support/oidc-issuer.ts';

let issuer: RunningIssuer;
let other: RunningIssuer;
let entry: OidcIssuer;
let oidc: ReturnType<typeof createOidcTokens>;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  other = await startOidcIssuer({ keys: [await createSigningJwk('es', 'ES256')] });
  entry = toEntry('corp', issuer);
  oidc = createVerifier(entry, { ...toEntry('partner', other), algorithms: ['ES256'] });
});

function createVerifier(...issuers: OidcIssuer[]) {
  const tokens = createOidcTokens(issuers, { allowInsecure: true, logger: createLogger('test', 'silent') });
  own(tokens.close);
  return tokens;
}

function toEntry(name: string, { url }: RunningIssuer): OidcIssuer {
  return {
    name,
    issuer: url,
    audience: [AUDIENCE, 'https://other.example'],
    algorithms: ['RS256', 'PS256'],
    role_claim: 'realm_access.roles',
    roles: { 'fleet-viewer': 'viewer', 'fleet-worker': 'worker', 'fleet-operator': 'operator', 'fleet-admin': 'admin' },
  };
}

const verify = (token: string) => oidc.verify(token, entry);
const now = () => Math.floor(Date.now() / 1_000);

test('accepts an access token of a real issuer', async () => {
  const token = await issuer.issue({ realm_access: { roles: ['fleet-operator'] } });
  const expiresAtMs = expect.closeTo(Date.now() + 600_000, -4);
  expect(await verify(token)).toEqual({ issuer: 'corp', sub: CLIENT_ID, role: 'operator', expiresAtMs });
});

test('accepts a token with another algorithm of the issuer', async () => {
  const partner = oidc.issuerOf(other.url) as OidcIssuer;
  expect(await oidc.verify(await other.issue(), partner)).toMatchObject({ issuer: 'partner', sub: CLIENT_ID });
});

test('knows its issuers by their exact URL', () => {
  expect(oidc.issuerOf(issuer.url)).toBe(entry);
  for (const iss of [`${issuer.url}/`, issuer.url.toUpperCase(), 'agent-fleet', '__proto__', '']) {
    expect(oidc.issuerOf(iss)).toBeUndefined();
  }
});

describe('the role', () => {
  const roleOf = async (claims: JWTPayload, role_claim = entry.role_claim, roles = entry.roles) => {
    const identity = await createVerifier({ ...entry, role_claim, roles }).verify(await issuer.issue(claims), entry);
    expect(identity).toBeDefined();
    return identity?.role;
  };

  test.each([
    [['fleet-viewer', 'x', 'fleet-admin', 'fleet-worker'], 'admin'],
    [['fleet-viewer', 'fleet-worker'], 'worker'],
    [['fleet-operator', 'fleet-worker'], 'operator'],
    ['fleet-worker', 'worker'],
    ['fleet-worker fleet-admin', undefined],
    [['admin', 'constructor', '__proto__', 7, null, ['fleet-admin']], undefined],
    [[], undefined],
    [{ 'fleet-admin': true }, undefined],
    [undefined, undefined],
  ])('of %j is %s', async (roles, role) => {
    expect(await roleOf({ realm_access: { roles } })).toBe(role);
  });

  test('is in a claim of any depth', async () => {
    expect(await roleOf({ groups: ['fleet-viewer'] }, 'groups')).toBe('viewer');
    expect(await roleOf({ a: { b: { c: 'fleet-viewer' } } }, 'a.b.c')).toBe('viewer');
    expect(await roleOf({ a: 'fleet-viewer' }, 'a.b')).toBeUndefined();
  });

  test('is in a claim whose name has dots', async () => {
    expect(await roleOf({ 'https://a.example/roles': 'fleet-viewer' }, 'https://a.example/roles')).toBe('viewer');
  });

  test('is not in an inherited property', async () => {
    expect(await roleOf({}, 'constructor.name', { Object: 'admin' })).toBeUndefined();
  });
});

describe('the e-mail address', () => {
  test.each([
    [{ email: 'A@b.example', email_verified: true }, 'a@b.example'],
    [{ email: 'a@b.example' }, undefined],
    [{ email: 'a@b.example', email_verified: false }, undefined],
    [{ email: 'a@b.example', email_verified: 'true' }, undefined],
    [{ email: 'nobody', email_verified: true }, undefined],
    [{ email: ['a@b.example'], email_verified: true }, undefined],
  ])('of %j is %s', async (claims, email) => {
    const identity = await verify(await issuer.issue(claims));
    expect(identity).toMatchObject({ sub: CLIENT_ID });
    expect(identity?.email).toBe(email);
  });
});

describe('a token that the issuer would not issue', () => {
  // Claims with times are made when they are needed.
  test.each<[string, JWTPayload | (() => JWTPayload), Record<string, unknown>]>([
    ['with several audiences', { aud: ['https://x.example', AUDIENCE] }, {}],
    ['with the type JWT', {}, { typ: 'JWT' }],
    ['with the type as a media type', {}, { typ: 'application/AT+JWT' }],
    ['without a type', {}, { typ: undefined }],
    ['without a kid, of an issuer with one key', {}, { kid: undefined }],
    ['that expired less than 30 s ago', () => ({ exp: now() - 20 }), {}],
    ['that begins in less than 30 s', () => ({ nbf: now() + 20, iat: now() + 20 }), {}],
    ['with a certificate thumbprint', {}, { x5t: 'abc' }],
  ])('is accepted %s', async (_title, claims, header) => {
    const made = typeof claims === 'function' ? claims() : claims;
    expect(await verify(await issuer.forge(made, header))).toMatchObject({ sub: CLIENT_ID });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['for another audience', { aud: 'https://x.example' }, {}],
    ['without an audience', { aud: undefined }, {}],
    ['with an audience that contains ours', { aud: `${AUDIENCE}/x` }, {}],
    ['of another issuer', { iss: 'https://x.example' }, {}],
    ['with a list of issuers', { iss: ['https://x.example'] }, {}],
    ['without an issuer', { iss: undefined }, {}],
    ['that expired more than 30 s ago', { exp: now() - 40 }, {}],
    ['without exp', { exp: undefined }, {}],
    ['with exp as a text', { exp: String(now() + 60) }, {}],
    ['with exp in milliseconds', { exp: Date.now() + 60_000 }, {}],
    ['without iat', { iat: undefined }, {}],
    ['from the future', { iat: now() + 600 }, {}],
    ['that begins later', { nbf: now() + 600 }, {}],
    ['without sub', { sub: undefined }, {}],
    ['with an empty sub', { sub: '' }, {}],
    ['with a sub that is no text', { sub: 7 }, {}],
    ['with a long sub', { sub: 'x'.repeat(256) }, {}],
    ['with half a character as sub', { sub: '\ud800' }, {}],
    ['of the type of an ID token', {}, { typ: 'id_token+jwt' }],
    ['of a type that is no text', {}, { typ: ['JWT'] }],
    ['with a critical extension', {}, { crit: ['urn:example:unknown'], 'urn:example:unknown': true }],
    ['with a kid that is no text', {}, { kid: 7 }],
    ['with an algorithm that is not in its list', {}, { alg: 'RS384' }],
    ['that is longer than 8,192 characters', { x: 'x'.repeat(8_192) }, {}],
  ])('is refused %s', async (_title, claims, header) => {
    const key = { ...(issuer.keys[0] as object), alg: undefined, kid: 'first' };
    const token = await forgeToken(key, { iss: issuer.url, ...claims } as JWTPayload, { alg: 'RS256', ...header });
    expect(await verify(token)).toBeUndefined();
  });
});

test('refuses an algorithm that the issuer is not configured for, whatever its keys allow', async () => {
  const tokens = createVerifier({ ...entry, algorithms: ['ES256'] });
  expect(await tokens.verify(await issuer.issue(), entry)).toBeUndefined();
});

test('refuses a token of another configured issuer', async () => {
  expect(await verify(await other.issue())).toBeUndefined();
  expect(await oidc.verify(await issuer.issue(), oidc.issuerOf(other.url) as OidcIssuer)).toBeUndefined();
});

test('refuses a token that another issuer signed in the name of this one', async () => {
  const [key] = other.keys;
  expect(await verify(await forgeToken({ ...key }, { iss: issuer.url }, { kid: 'first' }))).toBeUndefined();
});

test('refuses a token signed with the public key as a secret', async () => {
  const response = await fetch(`${issuer.url}/jwks`);
  const text = await response.text();
  const [jwk] = (JSON.parse(text) as { keys: { n: string }[] }).keys;
  for (const secret of [text, JSON.stringify(jwk), jwk?.n ?? '']) {
    const token = new SignJWT({ iss: issuer.url, aud: AUDIENCE, sub: CLIENT_ID, iat: now(), exp: now() + 60 });
    const signed = await token.setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(Buffer.from(secret));
    expect(await verify(signed)).toBeUndefined();
  }
});

test('refuses a changed token, one without a signature, and other texts', async () => {
  const token = await issuer.issue({ realm_access: { roles: ['fleet-viewer'] } });
  const [header, payload = '', signature] = token.split('.') as [string, string, string];
  const changed = Buffer.from(atob(payload).replace('viewer', 'admin')).toString('base64url');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const others = [`${header}.${changed}.${signature}`, `${none}.${payload}.`, `${header}.${payload}.`, `${token}=`];
  for (const text of [...others, `${token}.x`, '', 'a.b.c', '..']) expect(await verify(text)).toBeUndefined();
});
