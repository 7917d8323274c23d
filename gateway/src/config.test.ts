import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readGatewayConfig } from './config.ts';

const SECRET = 'a secret of at least thirty-two bytes';
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleet-keys-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function writeKey(name: string, key: string): string {
  const path = join(dir, name);
  writeFileSync(path, key);
  return path;
}

const PEM = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const;

test('runs without any variable in development', () => {
  expect(readGatewayConfig({})).toMatchObject({
    port: 8080,
    upstreams: { agents: 'http://127.0.0.1:8081', registry: 'http://127.0.0.1:8082' },
    upstreamTimeoutMs: 60_000,
    signingKey: undefined,
    tokens: { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 1800 },
    firstUser: undefined,
  });
});

test('wants its secrets in production', () => {
  expect(() => readGatewayConfig({ NODE_ENV: 'production' })).toThrow(
    /^JWT_SECRET: is required in production.*\nINTERNAL_TOKEN: is required in production/,
  );
  expect(() => readGatewayConfig({ NODE_ENV: 'production', JWT_SECRET: SECRET })).toThrow(
    /^INTERNAL_TOKEN: is required/,
  );
});

test('names every wrong variable in a line of its own and repeats no value', () => {
  const env = {
    JWT_SECRET: 'too short',
    AGENTS_URL: 'ftp://user:hunter2@host/path',
    API_KEYS: 'ci:hunter2,ci:other',
    ADMIN_EMAIL: 'nobody',
    ACCESS_TOKEN_TTL_SECONDS: '0',
    UPSTREAM_TIMEOUT_SECONDS: '34',
  };
  let message = '';
  try {
    readGatewayConfig(env);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(
    message
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(':')))
      .sort(),
  ).toEqual(Object.keys(env).sort());
  expect(message).not.toMatch(/hunter2|too short/);
});

test('counts the bytes of JWT_SECRET, not its characters', () => {
  expect(() => readGatewayConfig({ JWT_SECRET: 'x'.repeat(31) })).toThrow('at least 32 bytes');
  expect(readGatewayConfig({ JWT_SECRET: 'é'.repeat(16) }).signingKey?.algorithm).toBe('HS256');
});

test('takes an RSA or a P-256 key, which goes before JWT_SECRET', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048, ...PEM }).privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256', ...PEM }).privateKey;
  const read = (name: string, key: string) =>
    readGatewayConfig({ JWT_SECRET: SECRET, JWT_PRIVATE_KEY_FILE: writeKey(name, key) }).signingKey?.algorithm;
  expect([read('rsa.pem', rsa), read('ec.pem', ec)]).toEqual(['RS256', 'ES256']);
});

test('refuses other keys, public keys, and files that are not there', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384', ...PEM });
  const read = (path: string) => () => readGatewayConfig({ JWT_PRIVATE_KEY_FILE: path });
  expect(read(writeKey('p384.pem', other.privateKey))).toThrow('must hold an RSA key');
  expect(read(writeKey('public.pem', other.publicKey))).toThrow('must hold a private key');
  expect(read(join(dir, 'none.pem'))).toThrow('ENOENT');
});

test('wants ADMIN_EMAIL and ADMIN_PASSWORD together, and keeps the address in lower case', () => {
  expect(() => readGatewayConfig({ ADMIN_EMAIL: 'a@b.example' })).toThrow('given together');
  const { firstUser } = readGatewayConfig({ ADMIN_EMAIL: 'Admin@B.example', ADMIN_PASSWORD: 'long enough' });
  expect(firstUser?.email).toBe('admin@b.example');
});
