import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createKeys } from './keys.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test.each(Object.entries(createKeys('fleet')))('README.md lists the key of %s', (_, key: unknown) => {
  const name = typeof key === 'function' ? key('id', 'task') : key;
  const [, , ending = ''] = String(name).split(':');
  expect(readme).toContain(`}:${ending}`);
});
