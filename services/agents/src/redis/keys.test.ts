import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createKeys } from './keys.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const { prefix: _prefix, queues: _queues, ...keys } = createKeys('fleet');

test.each(Object.entries(keys))('README.md lists the key of %s', (_, key: unknown) => {
  const name = String(typeof key === 'function' ? key('id') : key);
  const [, , ending = ''] = name.split(':');
  expect(readme).toMatch(new RegExp(`^\\|.*\`\\{default\\}:${ending}\\b.*\\|$`, 'm'));
});
