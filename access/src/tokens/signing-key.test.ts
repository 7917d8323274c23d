import { createHash, createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ecKey, rsaKey, toPem, toPublicPem } from '../testing/forge.ts';
import { createJwks, fromPem, fromPublicPem, fromSecret, thumbprintOf } from './signing-key.ts';

const SECRET = 'a secret of at least thirty-two bytes';

/** RFC 7638 section 3.1. */
const MODULUS =
  '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W' +
  '-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08q' +
  'NLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;

test('a public key is named by its thumbprint, as in the example of RFC 7638', () => {
  const key = createPublicKey({ key: { kty: 'RSA', n: MODULUS, e: 'AQAB' }, format: 'jwk' });
  expect(thumbprintOf(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});

describe('the name of a secret', () => {
  test('is stable, and different for another secret', () => {
    expect(fromSecret(SECRET).id).toBe(fromSecret(SECRET).id);
    expect(fromSecret(`${SECRET}!`).id).not.toBe(fromSecret(SECRET).id);
  });

  test('is not a plain hash of the secret', () => {
    const { id } = fromSecret(SECRET);
    const jwk = JSON.stringify({ k: Buffer.from(SECRET).toString('base64url'), kty: 'oct' });
    for (const name of ['sha1', 'sha256', 'sha512']) {
      for (const text of [SECRET, jwk]) {
        expect(createHash(name).update(text).digest('base64url')).not.toContain(id);
        expect(createHmac(name, text).digest('base64url')).not.toContain(id);
      }
    }
    expect(id).toMatch(/^[\w-]{16}$/);
  });
});

test.each([
  ['RSA of 1024 bits', rsa(1024), 'at least 2048 bits or a P-256 key: this one has 1024 bits'],
  ['RSA of 2047 bits', rsa(2047), 'at least 2048 bits or a P-256 key: this one has 2047 bits'],
  ['RSA with the exponent 3', rsa(2048, 3), 'an odd public exponent of at least 65537'],
  ['P-384', ecKey('P-384'), 'must hold an RSA key of at least 2048 bits or a P-256 key'],
  ['secp256k1', ecKey('secp256k1'), 'must hold an RSA key of at least 2048 bits or a P-256 key'],
])('refuses a key of %s, to sign and to verify by', (_what, key, reason) => {
  expect(() => fromPem(toPem(key))).toThrow(reason);
  expect(() => fromPublicPem(toPem(key))).toThrow(reason);
  expect(() => fromPublicPem(toPublicPem(key))).toThrow(reason);
});

test('refuses an RSA key with an even exponent', () => {
  // 65,538.
  const key = createPublicKey({ key: { kty: 'RSA', n: MODULUS, e: 'AQAC' }, format: 'jwk' });
  expect(() => fromPublicPem(String(key.export({ type: 'spki', format: 'pem' })))).toThrow('an odd public exponent');
});

test('accepts an RSA key of 2048 bits with the exponent 65537 or a larger odd one, and a P-256 key', () => {
  for (const key of [rsaKey(), rsa(2048, 65_539), ecKey()]) {
    expect(fromPem(toPem(key)).verify.type).toBe('public');
    expect(fromPublicPem(toPublicPem(key))).toEqual(fromPublicPem(toPem(key)));
  }
});

test('refuses text that is not a key, public keys for signing, and a key in PEM form as a secret', () => {
  expect(() => fromPem('x')).toThrow('must hold a private key');
  expect(() => fromPublicPem('x')).toThrow('must hold a public or private key');
  expect(() => fromPem(toPublicPem(ecKey()))).toThrow('must hold a private key');
  expect(() => fromSecret(toPem(ecKey()))).toThrow('must be a secret');
  expect(() => fromSecret(toPublicPem(ecKey()))).toThrow('must be a secret');
});

describe('the JWK Set', () => {
  const shown = (...keys: Parameters<typeof createJwks>[0]) => JSON.parse(createJwks(keys).text);

  test('has the public half of each key, and no secret', () => {
    const [first, second] = [fromPem(toPem(rsaKey())), fromPem(toPem(ecKey()))];
    expect(shown(first, fromSecret(SECRET), second)).toEqual({
      keys: [
        { kty: 'RSA', use: 'sig', alg: 'RS256', kid: first.id, e: 'AQAB', n: expect.stringMatching(/^[\w-]{342}$/) },
        {
          ...{ kty: 'EC', use: 'sig', alg: 'ES256', kid: second.id, crv: 'P-256' },
          ...{ x: expect.any(String), y: expect.any(String) },
        },
      ],
    });
    expect(shown(fromSecret(SECRET))).toEqual({ keys: [] });
  });

  test('has another ETag for other keys', () => {
    const [one, two] = [fromPem(toPem(ecKey())), fromPem(toPem(ecKey()))];
    expect(createJwks([one]).etag).toBe(createJwks([one]).etag);
    expect(createJwks([one]).etag).not.toBe(createJwks([one, two]).etag);
  });
});
