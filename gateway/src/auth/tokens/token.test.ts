import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ecKey, forge, keySigner, rsaKey, SETTINGS, secretSigner, toPublicPem } from '../../../test/support/forge.ts';
import { createTokens } from './token.ts';

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
  expect(rsaSigner.tokens.verify(tokens.issue('a@b.example'))).toBeDefined();
  expect(before.tokens.verify(tokens.issue('a@b.example'))).toBeUndefined();
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
