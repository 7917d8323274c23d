import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { beforeEach, expect, test } from '@jest/globals';
import { findConnection } from '../../src/settings/connection.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = ownFolder();
  env = { XDG_CONFIG_HOME: join(folder, 'config') };
});

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const profile = (name: string) => ({ url: `https://${name}.example`, api_key: `key of ${name}` });
const writeProfiles = (...names: string[]) =>
  write(
    'config/fleet/config.json',
    JSON.stringify({ profiles: Object.fromEntries(names.map((n) => [n, profile(n)])) }),
  );
const writeLocal = (url = 'http://localhost:9090') =>
  write('.data/credentials.env', `ADMIN_PASSWORD='a b'\nAPI_KEYS=local:local-key, ci:other\nFLEET_URL=${url}\n`);
const find = (options = {}, more: NodeJS.ProcessEnv = {}) => {
  const { source, profile: found, ...rest } = findConnection(options, { ...env, ...more }, folder);
  return { ...rest, ...(found && { apiKey: found.value.api_key }) };
};

test('without any setting, it is the default address without credentials', () => {
  expect(find()).toEqual({ url: 'http://localhost:8080' });
});

test('the file of npm start in the folder gives address and key', () => {
  writeLocal();
  expect(find()).toEqual({ url: 'http://localhost:9090', apiKey: 'local-key' });
  write('.data/credentials.env', 'API_KEYS=ops:viewer:with-role\n');
  expect(find()).toEqual({ url: 'http://localhost:8080', apiKey: 'with-role' });
});

test('a profile goes before the file of npm start', () => {
  writeLocal();
  writeProfiles('default');
  expect(find()).toEqual({ url: 'https://default.example', apiKey: 'key of default' });
});

test('the environment goes before a profile', () => {
  writeProfiles('default', 'work');
  const more = { FLEET_URL: 'https://env.example', FLEET_API_KEY: 'env-key' };
  expect(find({}, more)).toEqual({ url: 'https://env.example', apiKey: 'env-key' });
  expect(find({}, { FLEET_API_KEY: 'env-key' })).toEqual({ url: 'https://default.example', apiKey: 'env-key' });
  expect(find({}, { FLEET_PROFILE: 'work' })).toEqual({ url: 'https://work.example', apiKey: 'key of work' });
});

test('flags go before the environment', () => {
  writeProfiles('default', 'work');
  const more = { FLEET_URL: 'https://env.example', FLEET_API_KEY: 'env-key', FLEET_PROFILE: 'default' };
  expect(find({ url: 'https://flag.example' }, more)).toEqual({ url: 'https://flag.example', apiKey: 'env-key' });
  expect(find({ profile: 'work' }, more)).toEqual({ url: 'https://work.example', apiKey: 'key of work' });
});

test('a key of the environment can be in a file, and a token takes the place of a key', () => {
  const file = write('key', '\n from-file \n');
  expect(find({}, { FLEET_API_KEY_FILE: file })).toMatchObject({ apiKey: 'from-file' });
  expect(find({}, { FLEET_TOKEN: 'a.b.c' })).toEqual({ url: 'http://localhost:8080', token: 'a.b.c' });
  expect(() => find({}, { FLEET_API_KEY_FILE: write('empty', ' \n') })).toThrow(/is empty/);
  expect(() => find({}, { FLEET_API_KEY_FILE: join(folder, 'none') })).toThrow(/ENOENT/);
});

test('empty variables are none', () => {
  expect(find({}, { FLEET_URL: '', FLEET_API_KEY: '', FLEET_TOKEN: '', FLEET_PROFILE: '' })).toEqual({
    url: 'http://localhost:8080',
  });
});

test('stored credentials go to no other fleet than theirs', () => {
  writeProfiles('default');
  expect(find({ url: 'https://default.example/' })).toMatchObject({ apiKey: 'key of default' });
  for (const url of ['https://other.example', 'http://default.example', 'https://default.example:8443', 'no url']) {
    expect(find({ url })).toEqual({ url });
    expect(find({}, { FLEET_URL: url })).toEqual({ url });
  }
  rmSync(join(folder, 'config'), { recursive: true });
  writeLocal();
  expect(find({ url: 'http://localhost:9091' })).toEqual({ url: 'http://localhost:9091' });
});

test.each(['https://evil.example', 'http://localhost.evil.example', 'http://localhost@evil.example', 'nonsense'])(
  'a folder cannot have credentials sent to %s',
  (url) => {
    writeLocal(url);
    expect(find({}, { FLEET_API_KEY: 'mine' })).toEqual({ url: 'http://localhost:8080', apiKey: 'mine' });
    expect(find()).toEqual({ url: 'http://localhost:8080' });
  },
);

test('an unknown profile is wrong usage', () => {
  expect(() => find({ profile: 'none' })).toThrow(expect.objectContaining({ exitCode: 2 }));
  for (const name of ['__proto__', 'constructor', 'toString']) {
    writeProfiles('default');
    expect(() => find({ profile: name })).toThrow(/There is no profile/);
  }
});

test.each(['', '[]', 'null', '{"profiles":[]}', '{"profiles":{"default":{}}}', '{"profiles":{"default":null}}', '{'])(
  'a configuration like %j is not used, and says so or is empty',
  (text) => {
    write('config/fleet/config.json', text);
    let outcome: unknown;
    try {
      outcome = find();
    } catch (error) {
      outcome = (error as { exitCode?: number }).exitCode;
    }
    expect([2, JSON.stringify({ url: 'http://localhost:8080' })]).toContain(
      typeof outcome === 'number' ? outcome : JSON.stringify(outcome),
    );
  },
);
