import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  ConfigError,
  commonVariables,
  findWeakInternalTokens,
  findWeakness,
  parsed,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
  toCommonConfig,
} from './config.ts';
import { makeDataDir } from './testing/data-dir.ts';

const PRODUCTION = { NODE_ENV: 'production' };
const DEVELOPMENT = { NODE_ENV: 'development' };

test.each([
  ['0123456789abcdef', undefined],
  ['0123456789abcde', 'must have at least 16 characters'],
  ['', 'must have at least 16 characters'],
  ['abcdeabcdeabcdeabcde', 'must have at least 6 different characters'],
  ['abcdefabcdefabcdef', undefined],
  ['a'.repeat(1_000), 'must have at least 6 different characters'],
])('the weakness of %j is %s', (secret, weakness) => {
  expect(findWeakness(secret, 16)).toBe(weakness);
});

test('refuses weak secrets in production only, with a line for each rule', () => {
  const problems = { A: 'is bad', B: undefined, C: ['one', 'two'], D: [] };
  expect(() => refuseWeakInProduction(DEVELOPMENT, problems)).not.toThrow();
  expect(() => refuseWeakInProduction(PRODUCTION, { B: undefined, D: [] })).not.toThrow();
  const line = (name: string, rule: string) =>
    `${name}: is too weak for production: ${rule} (example: ${name}=$(openssl rand -hex 32))`;
  expect(() => refuseWeakInProduction(PRODUCTION, problems)).toThrow(
    new ConfigError([line('A', 'is bad'), line('C', 'one'), line('C', 'two')].join('\n')),
  );
});

test('requires secrets in production only', () => {
  expect(() => requireInProduction(DEVELOPMENT, { A: undefined })).not.toThrow();
  expect(() => requireInProduction(PRODUCTION, { A: '', B: undefined, C: undefined })).toThrow(/^B: .*\nC: .*$/);
});

test('shows why a variable is invalid, and not its value', () => {
  const parse = (text: string) => {
    if (text !== 'good') throw new Error('must be good');
    return text.length;
  };
  const schema = z.object({ A: parsed(parse).meta({ example: 'good' }) });
  expect(readConfig(schema, { A: 'good' })).toEqual({ A: 4 });
  expect(() => readConfig(schema, { A: 'hunter2' })).toThrow(new ConfigError('A: must be good (example: A=good)'));
  expect(() => readConfig(schema, { A: '' })).toThrow('A: is required (example: A=good)');
});

const dir = makeDataDir('shared-');
afterAll(() => rmSync(dir, { recursive: true }));

let files = 0;
function writeSecret(text: string): string {
  const path = join(dir, `secret-${files++}`);
  writeFileSync(path, text);
  return path;
}

const secrets = z.object({
  KEY: z.string().regex(/^good/, 'must be good').optional().meta({ example: 'good', secret: true }),
  NAME: z.string().optional(),
});

test.each([
  ['good', 'good'],
  ['good\n', 'good'],
  ['good\r\n', 'good'],
  ['\ufeffgood\n', 'good'],
  ['good \n\n', 'good \n'],
  ['\n', undefined],
  ['', undefined],
])('a secret in a file, %j, is read as %j', (text, value) => {
  expect(readConfig(secrets, { KEY_FILE: writeSecret(text) })).toEqual(value === undefined ? {} : { KEY: value });
});

test('only secrets are read from files', () => {
  expect(readConfig(secrets, { NAME_FILE: writeSecret('x'), KEY_FILE: '', KEY: 'good' })).toEqual({ KEY: 'good' });
});

test('shows why the file of a secret is refused, in one line without its content', () => {
  const read = (env: Record<string, string>) => () => readConfig(secrets, env);
  const example = '(example: KEY_FILE=/run/secrets/key)';
  expect(read({ KEY_FILE: writeSecret('hunter2') })).toThrow(new ConfigError(`KEY_FILE: must be good ${example}`));
  expect(read({ KEY_FILE: join(dir, 'none') })).toThrow(
    new ConfigError(`KEY_FILE: names a file that cannot be read (ENOENT) ${example}`),
  );
  expect(read({ KEY_FILE: dir })).toThrow(/^KEY_FILE: names a file that cannot be read \(EISDIR\)/);
  expect(read({ KEY: 'good', KEY_FILE: writeSecret('good') })).toThrow(
    new ConfigError('KEY, KEY_FILE: at most one of them may be given'),
  );
});

test('a required secret whose file cannot be read has one line only', () => {
  const schema = z.object({ KEY: z.string().meta({ secret: true }), PORT: z.string() });
  expect(() => readConfig(schema, { KEY_FILE: join(dir, 'none') })).toThrow(
    /^KEY_FILE: .*ENOENT.*\nPORT: is required$/,
  );
});

test.each([
  'redis://:hunter2@localhost:99999',
  'redis://:hunter2%@localhost',
  'redis+sentinel://:hunter2@/mymaster',
  'redis+sentinel://:hunter2@one:26379/mymaster/zero',
  'redis+sentinel://:hunter2@two@one:26379/mymaster',
  'redis+sentinel://:hunter2%@one:26379/mymaster',
  'redis+cluster://:hunter2@one:6379,',
  'redis+cluster://:hunter2@one:65536',
])('%s is refused without showing its password', (url) => {
  const read = () => readConfig(z.object(commonVariables(0)), { REDIS_URL: url });
  expect(read).toThrow(/^REDIS_URL: (?!.*hunter2)/);
});

test('services accept the internal token and the one for verification, if neither is weak', () => {
  const read = (env: Record<string, string>) => readConfig(z.object(commonVariables(0)), env);
  const [token, other] = ['internal-token-0123456789', 'another-token-0123456789'];
  const both = read({ INTERNAL_TOKEN: token, INTERNAL_VERIFICATION_TOKEN_FILE: writeSecret(`${other}\n`) });
  expect(toCommonConfig(both)).toMatchObject({ internalToken: token, acceptedTokens: [token, other] });
  expect(toCommonConfig(read({}))).toMatchObject({ internalToken: undefined, acceptedTokens: [] });
  expect(findWeakInternalTokens(both)).toEqual({});
  expect(findWeakInternalTokens(read({ INTERNAL_VERIFICATION_TOKEN: 'short' }))).toEqual({
    INTERNAL_VERIFICATION_TOKEN: 'must have at least 16 characters',
  });
});
