import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { fromPem, fromSecret } from '@agent-fleet/access/tokens/signing-key';
import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRefreshTokens, type RefreshTokens } from './refresh-token.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys = [
  fromSecret('a secret of at least thirty-two bytes'),
  fromSecret('another one of at least thirty-two bytes'),
  fromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
];

test.each(keys.map((key) => [key.algorithm, createRefreshTokens(key)] as const))(
  'with %s: a token names its session and is known as ours',
  (_algorithm, tokens) => {
    const sessionId = randomUUID();
    const token = tokens.create(sessionId);
    expect(token.text).toMatch(/^[\w-]{86}$/);
    expect(tokens.parse(token.text)).toEqual(token);
    expect(tokens.create(sessionId).text).not.toBe(token.text);
  },
);

test('a token has always the same successor, which is one of ours', () => {
  const [tokens] = keys.map(createRefreshTokens) as [RefreshTokens, ...RefreshTokens[]];
  const token = tokens.create(randomUUID());
  const next = tokens.successorOf(token);
  expect(next).toMatchObject({ sessionId: token.sessionId, isOurs: true });
  expect(tokens.successorOf(tokens.parse(token.text) as typeof token).text).toBe(next.text);
  expect(next.text.slice(22)).not.toBe(token.text.slice(22));
  expect(tokens.successorOf(next).text).not.toBe(next.text);
});

test('with another key, a token is not ours and has another successor', () => {
  const [tokens, ...others] = keys.map(createRefreshTokens) as [RefreshTokens, ...RefreshTokens[]];
  const token = tokens.create(randomUUID());
  for (const other of others) {
    expect(other.parse(token.text)).toEqual({ ...token, isOurs: false });
    expect(other.successorOf(token).text).not.toBe(tokens.successorOf(token).text);
  }
});

test('any changed bit makes it another one, which is not ours', () => {
  const tokens = createRefreshTokens(keys[0] as (typeof keys)[0]);
  const { text, digest } = tokens.create(randomUUID());
  fc.assert(
    fc.property(fc.nat(64 * 8 - 1), (bit) => {
      const bytes = Buffer.from(text, 'base64url');
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      const changed = tokens.parse(bytes.toString('base64url'));
      expect(changed?.isOurs).toBe(false);
      expect(changed?.digest).not.toBe(digest);
    }),
  );
});

test('a text has one spelling, and other texts are none', () => {
  const tokens = createRefreshTokens(keys[0] as (typeof keys)[0]);
  const { text } = tokens.create(randomUUID());
  const lastDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const same = [...lastDigits].filter((digit) => tokens.parse(text.slice(0, -1) + digit) !== undefined);
  expect(same).toEqual(['A', 'Q', 'g', 'w']);
  for (const other of ['', text.slice(1), `${text}A`, `${text}=`, ` ${text}`, `${text}\n`, text.replace(/^./, '+')]) {
    expect(tokens.parse(other)).toBeUndefined();
  }
  fc.assert(
    fc.property(unicodeText({ maxLength: 200 }), (any) => {
      expect(tokens.parse(any)?.isOurs ?? false).toBe(false);
    }),
  );
  expect(tokens.parse(randomBytes(64).toString('base64url'))?.isOurs).toBe(false);
});
