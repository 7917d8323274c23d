import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ecKey, forge, keySigner, nowSeconds, rsaKey, SETTINGS, secretSigner, toPublicPem } from '../testing/forge.ts';
import { createTokens, type TokenClaims } from './token.ts';

const CLAIMS: TokenClaims = {
  subject: 'a@b.example',
  userId: 'a-user',
  sessionId: 'a-session',
  tokenId: 'a-token',
  scopes: ['agents:read', 'tasks:read'],
  authTimeMs: 1_700_000_000_123.5,
};
const rsa = rsaKey();
const rsaSigner = keySigner(rsa);
const ecSigner = keySigner(ecKey());
const hmacSigner = secretSigner('a secret of at least thirty-two bytes');

const before = keySigner(rsaKey());
const tokens = createTokens(rsaSigner.key, SETTINGS, before.key);
const mixed = createTokens(rsaSigner.key, SETTINGS, ecSigner.key);
const fromHmac = createTokens(rsaSigner.key, SETTINGS, hmacSigner.key);

test('accepts tokens of both keys, with and without a kid, and signs with the first', () => {
  for (const signer of [rsaSigner, before]) {
    expect(tokens.verify(forge(signer))).toBeDefined();
    expect(tokens.verify(forge(signer, { header: { kid: signer.key.id } }))).toBeDefined();
  }
  expect(rsaSigner.tokens.verify(tokens.issue(CLAIMS))).toBeDefined();
  expect(before.tokens.verify(tokens.issue(CLAIMS))).toBeUndefined();
});

test('verifies a token with a kid by the key of that name only', () => {
  expect(tokens.verify(forge(rsaSigner, { header: { kid: before.key.id } }))).toBeUndefined();
  expect(tokens.verify(forge(before, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
  expect(mixed.verify(forge(ecSigner, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
  expect(fromHmac.verify(forge(hmacSigner, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
});

test('uses each key with its own algorithm only', () => {
  expect(mixed.verify(forge(ecSigner))).toBeDefined();
  expect(mixed.verify(forge(ecSigner, { header: { alg: 'RS256' } }))).toBeUndefined();
  const signBytes = (text: string) => createHmac('sha256', toPublicPem(rsa)).update(text).digest();
  expect(fromHmac.verify(forge(hmacSigner))).toBeDefined();
  expect(fromHmac.verify(forge(hmacSigner, { signBytes }))).toBeUndefined();
  expect(fromHmac.verify(forge(hmacSigner, { signBytes, header: { kid: rsaSigner.key.id } }))).toBeUndefined();
});

test('a token says who signed in, when, in which session, and for what', () => {
  const { scopes, subject, userId, sessionId, tokenId, authTimeMs } = CLAIMS;
  const now = nowSeconds();
  const verified = tokens.verify(tokens.issue(CLAIMS));
  expect(verified).toEqual({
    subject,
    userId,
    sessionId,
    tokenId,
    scopes,
    authTimeMs,
    expiresAtMs: expect.any(Number),
  });
  expect(Math.abs((verified?.expiresAtMs ?? 0) - (now + 60) * 1_000)).toBeLessThan(5_000);
  const [, payload = ''] = tokens.issue(CLAIMS).split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    sub: subject,
    iss: SETTINGS.issuer,
    aud: SETTINGS.audience,
    iat: expect.any(Number),
    exp: expect.any(Number),
    jti: tokenId,
    sid: sessionId,
    uid: userId,
    scope: 'agents:read tasks:read',
    auth_time_ms: authTimeMs,
  });
});

test('a token may have no scopes, which is not the same as all of its role', () => {
  expect(tokens.verify(tokens.issue({ ...CLAIMS, scopes: [] }))?.scopes).toEqual([]);
  expect(tokens.verify(forge(rsaSigner, { payload: { scope: ' a  b ' } }))?.scopes).toEqual(['a', 'b']);
});

test.each([0, -1, 0.5, 1e300])('accepts a token whose auth_time_ms is %d', (value) => {
  expect(tokens.verify(forge(rsaSigner, { payload: { auth_time_ms: value } }))?.authTimeMs).toBe(value);
});
