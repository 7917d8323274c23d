import { expect, test } from '@jest/globals';
import { readIdentityConfig } from './config.ts';

const STRONG = {
  NODE_ENV: 'production',
  JWT_SECRET: 'b6c1f0e2d4a8937755aa10ffcc42e6d9',
  INTERNAL_TOKEN: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  API_KEYS: 'ci:viewer:9b1c7e5d3f2a4806',
  ADMIN_EMAIL: 'Admin@Example.com',
  ADMIN_PASSWORD: 'correct horse',
};

test('accepts strong secrets in production, and normalises ADMIN_EMAIL', () => {
  const { firstUser, environmentKeys, port } = readIdentityConfig(STRONG);
  expect(firstUser?.email).toBe('admin@example.com');
  expect(environmentKeys.list).toMatchObject([{ name: 'ci', role: 'viewer' }]);
  expect(port).toBe(8083);
});

test.each([
  ['ADMIN_PASSWORD', 'a', 'must have at least 8 characters'],
  ['ADMIN_PASSWORD', 'aaaaaaaaaaaa', 'must have at least 6 different characters'],
  ['API_KEYS', 'x', 'key key-1 must have at least 16 characters'],
  ['API_KEYS', `ci:${'x'.repeat(40)}`, 'key ci must have at least 6 different characters'],
  ['JWT_SECRET', 'a'.repeat(32), 'must have at least 6 different characters'],
  ['INTERNAL_TOKEN', 'secret', 'must have at least 16 characters'],
])('names the weak %s in production with its rule, without its value: %s', (name, value, rule) => {
  const read = () => readIdentityConfig({ ...STRONG, [name]: value });
  expect(read).toThrow(new RegExp(`^${name}: is too weak for production: ${rule} \\(example: [^\\n]+$`));
  expect(() => readIdentityConfig({ ...STRONG, NODE_ENV: 'development', [name]: value })).not.toThrow();
});

test('requires a signing key everywhere, and INTERNAL_TOKEN in production', () => {
  expect(() => readIdentityConfig({})).toThrow(/^JWT_SECRET: is required, or JWT_PRIVATE_KEY_FILE/);
  expect(() => readIdentityConfig({ ...STRONG, INTERNAL_TOKEN: '' })).toThrow(/INTERNAL_TOKEN: is required/);
});

test('requires ADMIN_EMAIL and ADMIN_PASSWORD together', () => {
  expect(() => readIdentityConfig({ ...STRONG, ADMIN_PASSWORD: '' })).toThrow('must be given together');
});
