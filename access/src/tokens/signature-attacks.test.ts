import { constants, createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ecKey, forge, keySigner, rsaKey, type Signer, secretSigner } from '../testing/forge.ts';

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
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
  'without its last byte': (signature) => signature.subarray(0, -1),
  'without its first byte': (signature) => signature.subarray(1),
  'with a zero behind it': (signature) => Buffer.concat([signature, Buffer.alloc(1)]),
  'with another first bit': (signature) => flip(signature, 0, 0x80),
  'with another last bit': (signature) => flip(signature, signature.length - 1, 1),
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

test('a key in the token itself is refused', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { signBytes } = keySigner(privateKey);
  const jwk = publicKey.export({ format: 'jwk' });
  for (const header of [{ jwk }, { jwk, kid: rsaSigner.key.id }, { jku: 'https://evil.example/keys', kid: 'x' }]) {
    expectRefused(rsaSigner, forge(rsaSigner, { header, signBytes }));
  }
});

test.each<[string, Signer, string, (text: string) => Buffer]>([
  ['PSS as RS256', rsaSigner, 'RS256', (text) => sign('sha256', Buffer.from(text), { key: rsa, ...PSS })],
  ['SHA-384 as RS256', rsaSigner, 'RS256', (text) => sign('sha384', Buffer.from(text), rsa)],
  ['the DER form as ES256', ecSigner, 'ES256', (text) => sign('sha256', Buffer.from(text), ec)],
])('refuses %s', (_what, signer, alg, signBytes) => {
  expectRefused(signer, forge(signer, { header: { alg }, signBytes }));
});
