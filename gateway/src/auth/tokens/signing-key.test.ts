import { createHash, createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ecKey, rsaKey, toPem } from '../../../test/support/forge.ts';
import { createJwks } from './jwks.ts';
import { thumbprintOf } from './public-jwk.ts';
import { fromPem, fromPublicPem, fromSecret } from './signing-key.ts';

const SECRET = 'a secret of at least thirty-two bytes';

/** RFC 7638 section 3.1. */
const MODULUS =
  '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W' +
  '-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08q' +
  'NLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';

test('a public key is named by its thumbprint, as in the example of RFC 7638', () => {
  const key = createPublicKey({ key: { kty: 'RSA', n: MODULUS, e: 'AQAB' }, format: 'jwk' });
  expect(thumbprintOf(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});

describe('the name of a secret', () => {
  test('is stable, and different for another secret', () => {
    expect(fromSecret(SECRET).id).toBe(fromSecret(SECRET).id);
    expect(fromSecret(`${SECRET}!`).id).not.toBe(fromSecret(SECRET).id);
  });

  test('is no plain hash of the secret', () => {
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

describe('refuses', () => {
  const pems = (type: 'rsa' | 'ec', options: object) => {
    const { privateKey, publicKey } = generateKeyPairSync(type as 'ec', options as { namedCurve: string });
    return [toPem(privateKey), String(publicKey.export({ type: 'spki', format: 'pem' }))] as const;
  };

  test.each([
    ['RSA of 1024 bits', ...pems('rsa', { modulusLength: 1024 })],
    ['P-384', ...pems('ec', { namedCurve: 'P-384' })],
    ['secp256k1', ...pems('ec', { namedCurve: 'secp256k1' })],
  ])('a key of %s', (_what, privatePem, publicPem) => {
    expect(() => fromPem(Buffer.from(privatePem))).toThrow('must hold an RSA key of at least 2048 bits or a P-256 key');
    expect(() => fromPublicPem(Buffer.from(publicPem))).toThrow('must hold an RSA key of at least 2048 bits');
  });

  test('what is no key', () => {
    expect(() => fromPem(Buffer.from('x'))).toThrow('must hold a private key');
    expect(() => fromPublicPem(Buffer.from('x'))).toThrow('must hold a public or private key');
  });

  test('a key in PEM form as a secret', () => {
    const [privatePem, publicPem] = pems('ec', { namedCurve: 'P-256' });
    expect(() => fromSecret(privatePem)).toThrow('must be a secret');
    expect(() => fromSecret(publicPem)).toThrow('must be a secret');
  });
});

describe('the JWK Set', () => {
  const shown = (...keys: Parameters<typeof createJwks>[0]) => JSON.parse(createJwks(keys).text);

  test('has the public half of each key and nothing of a secret', () => {
    const [rsa, ec] = [fromPem(Buffer.from(toPem(rsaKey()))), fromPem(Buffer.from(toPem(ecKey())))];
    expect(shown(rsa, fromSecret(SECRET), ec)).toEqual({
      keys: [
        { kty: 'RSA', use: 'sig', alg: 'RS256', kid: rsa.id, e: 'AQAB', n: expect.stringMatching(/^[\w-]{342}$/) },
        { kty: 'EC', use: 'sig', alg: 'ES256', kid: ec.id, crv: 'P-256', x: expect.any(String), y: expect.any(String) },
      ],
    });
    expect(shown(fromSecret(SECRET))).toEqual({ keys: [] });
  });

  test('has another ETag for other keys', () => {
    const [one, two] = [fromPem(Buffer.from(toPem(ecKey()))), fromPem(Buffer.from(toPem(ecKey())))];
    expect(createJwks([one]).etag).toBe(createJwks([one]).etag);
    expect(createJwks([one]).etag).not.toBe(createJwks([one, two]).etag);
  });
});
