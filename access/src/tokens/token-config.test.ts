import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@agent-fleet/shared/config';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ecKey, rsaKey, toPem, toPublicPem } from '../testing/forge.ts';
import { findWeakTokenSecrets, tokenVariables, toTokenConfig } from './token-config.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const dir = makeDataDir('shared-');
afterAll(() => rmSync(dir, { recursive: true }));

let files = 0;
function writePem(text: string): string {
  const path = join(dir, `${files++}.pem`);
  writeFileSync(path, text);
  return path;
}

const readVariables = (env: Record<string, string>) => readConfig(z.object(tokenVariables), env);
const read = (env: Record<string, string>) => toTokenConfig(readVariables(env));

test('has an issuer, an audience and a lifetime by default', () => {
  expect(read({ JWT_SECRET: SECRET })).toEqual({
    signingKey: expect.objectContaining({ algorithm: 'HS256' }),
    verificationKey: undefined,
    tokens: { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 1800 },
  });
  const own = { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', ACCESS_TOKEN_TTL_SECONDS: '90' };
  expect(read({ JWT_SECRET: SECRET, ...own }).tokens).toEqual({ issuer: 'i', audience: 'a', ttlSeconds: 90 });
});

test.each([{}, { JWT_SECRET: '' }, { JWT_VERIFICATION_SECRET: SECRET }])('requires a signing key: %j', (env) => {
  expect(() => read(env as Record<string, string>)).toThrow(
    'JWT_SECRET: is required, or JWT_PRIVATE_KEY_FILE (example: JWT_SECRET=$(openssl rand -hex 32))',
  );
});

test('counts the bytes of JWT_SECRET, not its characters, and does not show it', () => {
  const secret = 'x'.repeat(31);
  expect(() => read({ JWT_SECRET: secret })).toThrow(/^JWT_SECRET: (?!.*xxx).*at least 32 bytes/);
  expect(() => read({ JWT_SECRET: SECRET, JWT_VERIFICATION_SECRET: secret })).toThrow(/^JWT_VERIFICATION_SECRET: .*32/);
  expect(read({ JWT_SECRET: 'é'.repeat(16) }).signingKey.algorithm).toBe('HS256');
});

test('reports every invalid variable at once', () => {
  const env = { JWT_SECRET: 'short', JWT_VERIFICATION_SECRET: 'short', ACCESS_TOKEN_TTL_SECONDS: '0' };
  expect(() => read(env)).toThrow(/^JWT_SECRET: .*\nJWT_VERIFICATION_SECRET: .*\nACCESS_TOKEN_TTL_SECONDS: .*$/);
});

test('accepts the file of an RSA or a P-256 key, which overrides JWT_SECRET', () => {
  const algorithmOf = (pem: string) =>
    read({ JWT_SECRET: SECRET, JWT_PRIVATE_KEY_FILE: writePem(pem) }).signingKey.algorithm;
  expect([algorithmOf(toPem(rsaKey())), algorithmOf(toPem(ecKey()))]).toEqual(['RS256', 'ES256']);
});

test.each(['JWT_PRIVATE_KEY_FILE', 'JWT_VERIFICATION_KEY_FILE'])(
  'refuses a weak key and a missing file in %s, in one line',
  (variable) => {
    const readPath = (path: string) => () => read({ JWT_SECRET: SECRET, [variable]: path });
    const line = (reason: string) => new RegExp(`^${variable}: .*${reason}.*\\(example: ${variable}=/\\S+\\)$`);
    expect(readPath(writePem(toPem(ecKey('P-384'))))).toThrow(line('must hold an RSA key'));
    expect(readPath('/nowhere.pem')).toThrow(line('ENOENT'));
  },
);

test('accepts one more key for verification, other than the signing key', () => {
  const key = ecKey();
  const [privateFile, publicFile] = [writePem(toPem(key)), writePem(toPublicPem(key))];
  const verificationKey = (env: Record<string, string>) => read({ JWT_SECRET: SECRET, ...env }).verificationKey;
  const secret = `${SECRET} before`;
  expect(verificationKey({})).toBeUndefined();
  expect(verificationKey({ JWT_VERIFICATION_SECRET: secret })).toMatchObject({ algorithm: 'HS256' });
  expect(verificationKey({ JWT_VERIFICATION_SECRET: secret })).not.toHaveProperty('sign');
  for (const file of [privateFile, publicFile]) {
    const { algorithm, verify } = verificationKey({ JWT_VERIFICATION_KEY_FILE: file }) ?? {};
    expect([algorithm, verify?.type]).toEqual(['ES256', 'public']);
  }
  const both = { JWT_VERIFICATION_SECRET: secret, JWT_VERIFICATION_KEY_FILE: publicFile };
  expect(() => verificationKey(both)).toThrow('at most one');
  expect(() => verificationKey({ JWT_VERIFICATION_SECRET: SECRET })).toThrow('must differ from the signing key');
  const same = { JWT_PRIVATE_KEY_FILE: privateFile, JWT_VERIFICATION_KEY_FILE: publicFile };
  expect(() => verificationKey(same)).toThrow('must differ from the signing key');
  expect(verificationKey({ JWT_PRIVATE_KEY_FILE: privateFile, JWT_VERIFICATION_SECRET: SECRET })?.algorithm).toBe(
    'HS256',
  );
});

test('knows weak secrets by their variable', () => {
  const weak = 'must have at least 6 different characters';
  const find = (env: Record<string, string>) => findWeakTokenSecrets(readVariables(env));
  expect(find({ JWT_SECRET: SECRET })).toEqual({ JWT_SECRET: undefined, JWT_VERIFICATION_SECRET: undefined });
  expect(find({ JWT_SECRET: 'ab'.repeat(16), JWT_VERIFICATION_SECRET: SECRET }).JWT_SECRET).toBe(weak);
  expect(find({ JWT_VERIFICATION_SECRET: 'a'.repeat(32) }).JWT_VERIFICATION_SECRET).toBe(weak);
  // Eight characters of four bytes each.
  expect(find({ JWT_SECRET: '😀😁😂😃😄😅😆😇' }).JWT_SECRET).toBeUndefined();
});
