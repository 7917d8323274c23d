import { constants, createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ecKey, forge, keySigner, rsaKey, type Signer, secretSigner } from '../testing/forge.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const rsa = rsaKey();
const ec = ecKey();
const hmacSigner = secretSigner(SECRET);
const rsaSigner = keySigner(rsa);
const ecSigner = keySigner(ec);

type Change = (signature: Buffer) => Buffer;

function expectRefused(signer: Signer, token: string): void {
  expect(signer.tokens.verify(token)).toBeUndefined();
}

function flip(signature: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(signature);
  changed[at] = (changed[at] as number) ^ bit;
  return changed;
}

const CHANGES: Record<string, Change> = {
  empty: () => Buffer.alloc(0),
  'all zeros': (signature) => Buffer.alloc(signature.length),
  'all ones': (signature) => Buffer.alloc(signature.length, 0xff),
  'the number one': (signature) => Buffer.alloc(signature.length).fill(1, signature.length - 1),
  'one byte': (signature) => signature.subarray(0, 1),
  'without its last byte': (signature) => signature.subarray(0, -1),
  'without its first byte': (signature) => signature.subarray(1),
  halved: (signature) => signature.subarray(0, signature.length / 2),
  'with a zero behind it': (signature) => Buffer.concat([signature, Buffer.alloc(1)]),
  'with a zero before it': (signature) => Buffer.concat([Buffer.alloc(1), signature]),
  doubled: (signature) => Buffer.concat([signature, signature]),
  'with another first bit': (signature) => flip(signature, 0, 0x80),
  'with another last bit': (signature) => flip(signature, signature.length - 1, 1),
  'with another bit in the middle': (signature) => flip(signature, signature.length / 2, 4),
  'as hexadecimal text': (signature) => Buffer.from(signature.toString('hex')),
  'as base64 text': (signature) => Buffer.from(signature.toString('base64url')),
};

describe.each([hmacSigner, rsaSigner, ecSigner])('$algorithm', (signer) => {
  const { signBytes } = signer;

  test.each(Object.entries(CHANGES))('refuses a changed signature: %s', (_what, change) => {
    expectRefused(signer, forge(signer, { signBytes: (text) => change(signBytes(text)) }));
  });

  test.each<[string, (text: string) => string]>([
    ['the payload alone', (text) => text.slice(text.indexOf('.') + 1)],
    ['the header alone', (text) => text.slice(0, text.indexOf('.'))],
    ['nothing', () => ''],
    ['the text with a line break', (text) => `${text}\n`],
    ['the text without its dot', (text) => text.replace('.', '')],
  ])('refuses a signature of %s', (_what, signed) => {
    expectRefused(signer, forge(signer, { signBytes: (text) => signBytes(signed(text)) }));
  });

  test('refuses the signature of another token', () => {
    const [header, , signature] = forge(signer).split('.');
    const [, payload] = forge(signer, { payload: { sub: 'root@b.example' } }).split('.');
    expectRefused(signer, `${header}.${payload}.${signature}`);
  });
});

describe('a signature by another key of the same kind', () => {
  const others = [
    [hmacSigner, secretSigner(`${SECRET}!`)],
    [rsaSigner, keySigner(rsaKey())],
    [ecSigner, keySigner(ecKey())],
  ] as const;

  test.each(others)('$algorithm: is refused, even with our kid', (signer, { signBytes }) => {
    expectRefused(signer, forge(signer, { signBytes }));
    expectRefused(signer, forge(signer, { signBytes, header: { kid: signer.key.id } }));
  });
});

describe('HS256', () => {
  const hmac = (name: string, key: string | Buffer) => (text: string) => createHmac(name, key).update(text).digest();

  test.each([
    ['SHA-512, cut to 32 bytes', (text: string) => hmac('sha512', SECRET)(text).subarray(0, 32)],
    ['SHA-1', hmac('sha1', SECRET)],
    ['no key', hmac('sha256', '')],
    ['a key of zeros', hmac('sha256', Buffer.alloc(32))],
    ['its kid as key', hmac('sha256', hmacSigner.key.id)],
    ['its secret in base64 as key', hmac('sha256', Buffer.from(SECRET).toString('base64'))],
  ])('refuses an HMAC by %s', (_what, signBytes) => {
    expectRefused(hmacSigner, forge(hmacSigner, { signBytes }));
  });
});

describe('a public key', () => {
  function spellings(key: KeyObject): (string | Buffer)[] {
    const shown = createPublicKey(key);
    const pem = String(shown.export({ type: 'spki', format: 'pem' }));
    const jwk = shown.export({ format: 'jwk' });
    const texts = [pem, pem.trimEnd(), pem.replaceAll('\n', '\r\n'), pem.replaceAll('\n', ''), JSON.stringify(jwk)];
    return [
      ...texts,
      JSON.stringify({ keys: [jwk] }),
      jwk.n ?? jwk.x ?? '',
      shown.export({ type: 'spki', format: 'der' }),
    ];
  }
  const pkcs1 = createPublicKey(rsa).export({ type: 'pkcs1', format: 'pem' });

  test.each([
    [rsaSigner, [...spellings(rsa), pkcs1]],
    [ecSigner, spellings(ec)],
  ])('$algorithm: is not accepted as the secret of an HMAC, in any spelling', (signer, secrets) => {
    expect(secrets.length).toBeGreaterThan(7);
    for (const secret of secrets) {
      const signBytes = (text: string) => createHmac('sha256', secret).update(text).digest();
      for (const header of [{ alg: 'HS256' }, { alg: 'HS256', kid: signer.key.id }, {}]) {
        expectRefused(signer, forge(signer, { header, signBytes }));
      }
    }
  });
});

describe('RS256', () => {
  const { RSA_PKCS1_PSS_PADDING: padding } = constants;
  const pss = (text: string) => sign('sha256', Buffer.from(text), { key: rsa, padding, saltLength: 32 });
  const withHash = (name: string) => (text: string) => sign(name, Buffer.from(text), rsa);

  test.each([
    ['PSS as RS256', 'RS256', pss],
    ['PSS as PS256', 'PS256', pss],
    ['RS256 as PS256', 'PS256', withHash('sha256')],
    ['RS256 as RS384', 'RS384', withHash('sha256')],
    ['SHA-384 as RS256', 'RS256', withHash('sha384')],
    ['SHA-384 as RS384', 'RS384', withHash('sha384')],
    ['SHA-1 as RS256', 'RS256', withHash('sha1')],
    ['RS256 as ES256', 'ES256', withHash('sha256')],
  ])('refuses %s', (_what, alg, signBytes) => {
    expectRefused(rsaSigner, forge(rsaSigner, { header: { alg }, signBytes }));
  });

  test('refuses a key in the token itself', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { signBytes } = keySigner(privateKey);
    const jwk = publicKey.export({ format: 'jwk' });
    for (const header of [{ jwk }, { jwk, kid: rsaSigner.key.id }, { jku: 'https://evil.example/keys', kid: 'x' }]) {
      expectRefused(rsaSigner, forge(rsaSigner, { header, signBytes }));
    }
  });
});

describe('ES256', () => {
  const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
  const toBytes = (value: bigint, length = 32) => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
  const toNumber = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
  const ofNumbers =
    (change: (r: bigint, s: bigint) => [bigint, bigint], length = 32): Change =>
    (signature) => {
      const [r, s] = change(toNumber(signature.subarray(0, 32)), toNumber(signature.subarray(32)));
      return Buffer.concat([toBytes(r, length), toBytes(s, length)]);
    };
  const changed = (change: Change) => forge(ecSigner, { signBytes: (text) => change(ecSigner.signBytes(text)) });
  const der = (text: string) => sign('sha256', Buffer.from(text), ec);

  test.each<[string, Change]>([
    ['r = 0', ofNumbers((_r, s) => [0n, s])],
    ['s = 0', ofNumbers((r) => [r, 0n])],
    ['r = 1, s = 0', ofNumbers(() => [1n, 0n])],
    ['r = 1, s = 1', ofNumbers(() => [1n, 1n])],
    ['r = n', ofNumbers((_r, s) => [N, s])],
    ['s = n', ofNumbers((r) => [r, N])],
    ['r = n, s = n', ofNumbers(() => [N, N])],
    ['r = p', ofNumbers((_r, s) => [P, s])],
    ['r = n + 1', ofNumbers((_r, s) => [N + 1n, s])],
    ['s = n − 1', ofNumbers((r) => [r, N - 1n])],
    ['r and s exchanged', ofNumbers((r, s) => [s, r])],
    ['n − r in the place of r', ofNumbers((r, s) => [N - r, s])],
    ['r + n and s + n, of 33 bytes', ofNumbers((r, s) => [r + N, s + N], 33)],
    ['r and s of 33 bytes', ofNumbers((r, s) => [r, s], 33)],
    ['r and s of 48 bytes, as of P-384', ofNumbers((r, s) => [r, s], 48)],
  ])('refuses a signature with %s', (_what, change) => {
    expectRefused(ecSigner, changed(change));
  });

  test.each<[string, string, (text: string) => Buffer]>([
    ['the DER form', 'ES256', der],
    ['a key on P-384', 'ES256', keyOn('P-384')],
    ['a key on P-384 as ES384', 'ES384', keyOn('P-384')],
    ['a key on secp256k1', 'ES256', keyOn('secp256k1')],
    ['a key on secp256k1 as ES256K', 'ES256K', keyOn('secp256k1')],
    ['a key of Ed25519', 'EdDSA', (text) => sign(null, Buffer.from(text), generateKeyPairSync('ed25519').privateKey)],
  ])('refuses %s', (_what, alg, signBytes) => {
    expectRefused(ecSigner, forge(ecSigner, { header: { alg }, signBytes }));
  });

  function keyOn(curve: string) {
    const key = ecKey(curve);
    return (text: string) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  }

  test('accepts the malleable form (r, n − s) of a signature, like any ECDSA verifier', () => {
    expect(ecSigner.tokens.verify(changed(ofNumbers((r, s) => [r, N - s])))).toBeDefined();
  });
});
