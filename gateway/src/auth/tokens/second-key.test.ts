import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ecKey, forge, keySigner, rsaKey, SETTINGS, secretSigner, toPem } from '../../../test/support/forge.ts';
import { fromPublicPem } from './signing-key.ts';
import { createTokens } from './token.ts';

const rsa = rsaKey();
const ec = ecKey();
const rsaSigner = keySigner(rsa);
const ecSigner = keySigner(ec);
const hmacSigner = secretSigner('a secret of at least thirty-two bytes');

const before = keySigner(rsaKey());
const publicPem = (key: KeyObject) => Buffer.from(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
const tokens = createTokens(rsaSigner.key, SETTINGS, before.key);
const mixed = createTokens(rsaSigner.key, SETTINGS, ecSigner.key);
const fromHmac = createTokens(rsaSigner.key, SETTINGS, hmacSigner.key);

test('tokens of both keys are good, by kid or by trying, and the first key signs', () => {
  for (const signer of [rsaSigner, before]) {
    expect(tokens.verify(forge(signer))).toBeDefined();
    expect(tokens.verify(forge(signer, { header: { kid: signer.key.id } }))).toBeDefined();
  }
  expect(rsaSigner.tokens.verify(tokens.issue('a@b.example'))).toBeDefined();
  expect(before.tokens.verify(tokens.issue('a@b.example'))).toBeUndefined();
});

test('a token with a kid is verified with the key of that name only', () => {
  expect(tokens.verify(forge(rsaSigner, { header: { kid: before.key.id } }))).toBeUndefined();
  expect(tokens.verify(forge(before, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
  expect(mixed.verify(forge(ecSigner, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
  expect(fromHmac.verify(forge(hmacSigner, { header: { kid: rsaSigner.key.id } }))).toBeUndefined();
});

test('each key is used with its own algorithm only', () => {
  expect(mixed.verify(forge(ecSigner))).toBeDefined();
  expect(mixed.verify(forge(ecSigner, { header: { alg: 'RS256' } }))).toBeUndefined();
  const signBytes = (text: string) => createHmac('sha256', publicPem(rsa)).update(text).digest();
  expect(fromHmac.verify(forge(hmacSigner))).toBeDefined();
  expect(fromHmac.verify(forge(hmacSigner, { signBytes }))).toBeUndefined();
  expect(fromHmac.verify(forge(hmacSigner, { signBytes, header: { kid: rsaSigner.key.id } }))).toBeUndefined();
});

test('the second key need not be more than what is public of it', () => {
  const shown = createTokens(rsaSigner.key, SETTINGS, fromPublicPem(publicPem(ec)));
  expect(shown.verify(ecSigner.tokens.issue('a@b.example'))).toBeDefined();
  expect(fromPublicPem(Buffer.from(toPem(ec)))).toEqual(fromPublicPem(publicPem(ec)));
});
