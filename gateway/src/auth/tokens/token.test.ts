import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { fromPem, fromSecret } from './signing-key.ts';
import { createTokens } from './token.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const SETTINGS = { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 60 };
const tokens = createTokens(fromSecret(SECRET), SETTINGS);

const now = () => Math.floor(Date.now() / 1_000);
const claims = () => ({ sub: 'a@b.example', iss: 'agent-fleet', aud: 'agent-fleet', iat: now(), exp: now() + 60 });

/** Signs anything, without a library that would refuse it. */
function forge(payload: unknown, header: object = { alg: 'HS256', typ: 'JWT' }, secret = SECRET): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

test('takes its own tokens, and says whose they are and when they end', () => {
  const verified = tokens.verify(tokens.issue('a@b.example'));
  expect(verified?.subject).toBe('a@b.example');
  expect(Math.abs((verified?.expiresAtMs ?? 0) - Date.now() - 60_000)).toBeLessThan(20_000);
});

test('takes a token that is forged well, so that the cases below fail for their own reason', () => {
  expect(tokens.verify(forge(claims()))?.subject).toBe('a@b.example');
});

describe('refuses', () => {
  test.each(['', 'x', 'a.b.c', 'a.b', '....', 'null'])('%j', (text) => {
    expect(tokens.verify(text)).toBeUndefined();
  });

  test('alg none, with and without a signature', () => {
    const unsigned = jwt.sign(claims(), '', { algorithm: 'none' });
    expect(tokens.verify(unsigned)).toBeUndefined();
    expect(tokens.verify(`${unsigned}c2ln`)).toBeUndefined();
    expect(tokens.verify(forge(claims(), { alg: 'none', typ: 'JWT' }))).toBeUndefined();
  });

  test('another key, another HMAC, a changed payload', () => {
    expect(tokens.verify(forge(claims(), undefined, `${SECRET}!`))).toBeUndefined();
    expect(tokens.verify(jwt.sign(claims(), SECRET, { algorithm: 'HS512' }))).toBeUndefined();
    const [head, , signature] = forge(claims()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims(), sub: 'root@b.example' })).toString('base64url');
    expect(tokens.verify(`${head}.${payload}.${signature}`)).toBeUndefined();
  });

  test.each(['sub', 'exp', 'iat', 'iss', 'aud'])('a token without %s', (claim) => {
    expect(tokens.verify(forge({ ...claims(), [claim]: undefined }))).toBeUndefined();
  });

  test.each([
    ['an empty sub', { sub: '' }],
    ['a number as sub', { sub: 7 }],
    ['a list as sub', { sub: ['a@b.example'] }],
    ['another iss', { iss: 'elsewhere' }],
    ['another aud', { aud: ['elsewhere'] }],
    ['an exp as text', { exp: String(now() + 60) }],
    ['an iat as text', { iat: 'now' }],
    ['an iat to come', { iat: now() + 40 }],
    ['an nbf to come', { nbf: now() + 40 }],
    ['an nbf as text', { nbf: 'now' }],
    ['an exp longer ago than the leeway', { exp: now() - 31 }],
  ])('%s', (_what, change) => {
    expect(tokens.verify(forge({ ...claims(), ...change }))).toBeUndefined();
  });

  test.each([[null], ['text'], [7], [[claims()]]])('the payload %j', (payload) => {
    expect(tokens.verify(forge(payload))).toBeUndefined();
  });

  test.each([{ crit: ['exp'] }, { crit: [], b64: false }, { typ: 'JWE' }, { typ: 'id+jwt' }, { typ: 7 }])(
    'the header %j',
    (header) => {
      expect(tokens.verify(forge(claims(), { alg: 'HS256', typ: 'JWT', ...header }))).toBeUndefined();
    },
  );
});

test.each([{ typ: 'jwt' }, { typ: 'at+jwt' }, { typ: undefined }, { private: 'any' }])(
  'takes the header %j',
  (header) => {
    expect(tokens.verify(forge(claims(), { alg: 'HS256', typ: 'JWT', ...header }))).toBeDefined();
  },
);

test('allows clocks to differ by 30 s', () => {
  const skewed = { iat: now() + 25, nbf: now() + 25, exp: now() - 25 };
  expect(tokens.verify(forge({ ...claims(), ...skewed }))).toBeDefined();
});

describe('with a private key', () => {
  const pem = (key: KeyObject, type: 'pkcs8' | 'spki') => key.export({ type, format: 'pem' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  test.each([
    ['RS256', rsa],
    ['ES256', ec],
  ])('%s: signs and verifies, and takes no HMAC under the public key', (algorithm, { privateKey, publicKey }) => {
    const own = createTokens(fromPem(Buffer.from(pem(privateKey, 'pkcs8'))), SETTINGS);
    const token = own.issue('a@b.example');
    expect(jwt.decode(token, { complete: true })?.header.alg).toBe(algorithm);
    expect(own.verify(token)?.subject).toBe('a@b.example');
    const confused = forge(claims(), { alg: 'HS256', typ: 'JWT' }, pem(publicKey, 'spki').toString());
    expect(own.verify(confused)).toBeUndefined();
    expect(own.verify(tokens.issue('a@b.example'))).toBeUndefined();
    expect(tokens.verify(token)).toBeUndefined();
  });
});
