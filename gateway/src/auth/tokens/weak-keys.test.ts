import { createPrivateKey, createPublicKey, generateKeyPairSync, generatePrimeSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rsaKey, toPem } from '../../../test/support/forge.ts';
import { readGatewayConfig } from '../../config.ts';
import { hasRocaFingerprint } from './roca.ts';

/**
 * The product of the first 39 primes, which RSALib used for the shortest of its keys and which divides that of the
 * others.
 */
const PRIMORIAL = firstPrimes(39).reduce((product, prime) => product * prime, 1n);

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'weak-keys-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** What the gateway says of a key at its start. */
function problemOf(variable: string, pem: string): string | undefined {
  const path = join(dir, 'key.pem');
  writeFileSync(path, pem);
  try {
    readGatewayConfig({ JWT_SECRET: 's'.repeat(32), [variable]: path });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const publicPem = (key: KeyObject) =>
  String((key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'pem' }));
const generate = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;

describe.each([
  ['has fewer than 2048 bits', () => generate(2047), 'at least 2048 bits or a P-256 key: this one has 2047 bits'],
  ['has the exponent 3', () => generate(2048, 3), 'an odd public exponent of at least 65537'],
  ['has the ROCA fingerprint', createRocaKey, 'this one has the ROCA fingerprint (CVE-2017-15361)'],
])('an RSA key that %s', (_what, create, reason) => {
  test('is refused at start in one line, to sign and to verify by', () => {
    const key = create();
    for (const [variable, pem] of [
      ['JWT_PRIVATE_KEY_FILE', toPem(key)],
      ['JWT_VERIFICATION_KEY_FILE', toPem(key)],
      ['JWT_VERIFICATION_KEY_FILE', publicPem(key)],
    ] as const) {
      const problem = problemOf(variable, pem);
      expect(problem).toContain(reason);
      expect(problem).toMatch(new RegExp(`^${variable}: .*\\(example: ${variable}=/\\S+\\)$`));
    }
  });
});

test('an RSA key with an even exponent is refused', () => {
  const { kty, n } = createPublicKey(rsaKey()).export({ format: 'jwk' });
  const even = createPublicKey({ key: { kty, n, e: toBase64Url(65_538n) } as never, format: 'jwk' });
  expect(problemOf('JWT_VERIFICATION_KEY_FILE', publicPem(even))).toContain('an odd public exponent');
});

test('an RSA key of 2048 bits is taken, with the exponent 65537 or a larger odd one', () => {
  for (const key of [rsaKey(), generate(2048, 65_539)]) {
    expect(problemOf('JWT_PRIVATE_KEY_FILE', toPem(key))).toBeUndefined();
    expect(problemOf('JWT_VERIFICATION_KEY_FILE', publicPem(key))).toBeUndefined();
  }
});

test('the ROCA fingerprint is that of the powers of 65537 modulo the primorial', () => {
  for (const exponent of [0n, 1n, 2n, 12_345n, 2n ** 61n - 1n]) {
    const residue = power(65_537n, exponent, PRIMORIAL);
    for (const multiple of [0n, 1n, 2n ** 1_800n + 7n]) {
      expect(hasRocaFingerprint(residue + multiple * PRIMORIAL)).toBe(true);
      // A power modulo each prime alone, but of no common exponent.
      expect(hasRocaFingerprint(mixedPower(exponent) + multiple * PRIMORIAL)).toBe(false);
    }
  }
  for (let round = 0; round < 50; round++) {
    expect(hasRocaFingerprint(generatePrimeSync(256, { bigint: true }) * 3n + 2n)).toBe(false);
  }
});

/** Primes of the form k · M + (65537^a mod M), as RSALib made them. */
function createRocaKey(): KeyObject {
  const e = 65_537n;
  for (;;) {
    const [p, q] = [0x1234_5678_9abcn, 0xfed_cba9_8765n].map((exponent) =>
      generatePrimeSync(1_024, { bigint: true, add: PRIMORIAL, rem: power(e, exponent, PRIMORIAL) }),
    ) as [bigint, bigint];
    const n = p * q;
    const phi = (p - 1n) * (q - 1n);
    const d = inverse(e, phi);
    if (n >> 2_047n !== 1n || d === undefined) continue;
    const jwk = { n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) as bigint };
    const members = Object.entries(jwk).map(([name, value]) => [name, toBase64Url(value)]);
    return createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(members) }, format: 'jwk' });
  }
}

/** By the Chinese remainder theorem: 65537^exponent modulo each prime but 11, where it is the next power. */
function mixedPower(exponent: bigint): bigint {
  const others = PRIMORIAL / 11n;
  const residue = power(65_537n, exponent, others);
  const wanted = power(65_537n, exponent + 1n, 11n);
  for (let value = residue; ; value += others) if (value % 11n === wanted) return value;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let square = base % modulus, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** By Euclid's extended algorithm; undefined where there is none. */
function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [remainder, next] = [modulus, value % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return remainder === 1n ? (factor + modulus) % modulus : undefined;
}

function toBase64Url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = [];
  for (let number = 2n; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0n)) primes.push(number);
  }
  return primes;
}
