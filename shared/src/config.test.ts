import { expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  ConfigError,
  findWeakness,
  parsed,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
} from './config.ts';

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
