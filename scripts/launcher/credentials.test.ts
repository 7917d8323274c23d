import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../testing/own-folder.ts';
import { loadCredentials } from './credentials.ts';

const newFile = () => join(ownFolder(), 'new', 'credentials.env');

test('the first start creates all credentials, readable only by their owner', () => {
  const file = newFile();
  const { values, isNew } = loadCredentials(file, {});
  expect(isNew).toBe(true);
  expect(values.ADMIN_EMAIL).toBe('admin@example.com');
  expect(values.ADMIN_PASSWORD.length).toBeGreaterThanOrEqual(16);
  expect(Buffer.byteLength(values.JWT_SECRET)).toBeGreaterThanOrEqual(32);
  expect(values.API_KEYS).toMatch(/^local:fleet_[\w-]{32}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('two fleets have different credentials', () => {
  const a = loadCredentials(newFile(), {}).values;
  const b = loadCredentials(newFile(), {}).values;
  for (const name of ['ADMIN_PASSWORD', 'API_KEYS', 'JWT_SECRET', 'INTERNAL_TOKEN'] as const) {
    expect(a[name]).not.toBe(b[name]);
  }
});

test('the environment takes precedence over the file, and the first successful start keeps its values', () => {
  const file = newFile();
  const first = loadCredentials(file, { ADMIN_PASSWORD: `it's "quoted" #1`, API_KEYS: 'ci:abc, def' });
  expect(first.values).toMatchObject({ ADMIN_PASSWORD: `it's "quoted" #1`, API_KEYS: 'ci:abc, def' });
  expect([...first.given]).toEqual(['ADMIN_PASSWORD', 'API_KEYS']);
  first.keepGiven();
  expect(loadCredentials(file, {}).values).toEqual(first.values);
  expect(loadCredentials(file, { ADMIN_PASSWORD: 'other', API_KEYS: '' }).values).toEqual({
    ...first.values,
    ADMIN_PASSWORD: 'other',
  });
});

test('the file has the address of the last start', () => {
  const file = newFile();
  const credentials = loadCredentials(file, {});
  credentials.keepUrl('http://localhost:8080');
  credentials.keepUrl('http://localhost:9000');
  credentials.keepUrl('http://localhost:9000');
  const text = readFileSync(file, 'utf8');
  expect(text.match(/^FLEET_URL=.*$/gm)).toEqual(['FLEET_URL=http://localhost:9000']);
  expect(loadCredentials(file, {}).values).toEqual(credentials.values);
});

test('a failed start does not keep values of the environment', () => {
  const file = newFile();
  const failed = loadCredentials(file, { JWT_SECRET: 'short' });
  const next = loadCredentials(file, {});
  expect(next.values.JWT_SECRET).not.toBe('short');
  expect(next.values.ADMIN_PASSWORD).toBe(failed.values.ADMIN_PASSWORD);
});

test('adds missing values to a file without changing the others', () => {
  const file = newFile();
  loadCredentials(file, {});
  const text = '# mine\nADMIN_EMAIL=me@example.org\n';
  writeFileSync(file, text);
  const { values, isNew } = loadCredentials(file, {});
  expect(values.ADMIN_EMAIL).toBe('me@example.org');
  expect(isNew).toBe(false);
  expect(readFileSync(file, 'utf8').startsWith(text)).toBe(true);
  expect(loadCredentials(file, {}).values).toEqual(values);
});

test('adds missing values to a file whose last line has no end', () => {
  const file = newFile();
  loadCredentials(file, {});
  writeFileSync(file, 'ADMIN_EMAIL=me@example.org');
  const { values } = loadCredentials(file, {});
  expect(values.ADMIN_EMAIL).toBe('me@example.org');
  expect(loadCredentials(file, {}).values).toEqual(values);
});

test('removes the read permission of others from an existing file', () => {
  const file = newFile();
  loadCredentials(file, {});
  chmodSync(file, 0o644);
  loadCredentials(file, {});
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
