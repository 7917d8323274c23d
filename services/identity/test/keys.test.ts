import { readFileSync } from 'node:fs';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import { expect, test } from '@jest/globals';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

const { prefix: _prefix, ...keys } = createIdentityKeys('fleet');

test.each(Object.entries(keys))('README.md lists the key of %s', (_, key: unknown) => {
  const name = String(typeof key === 'function' ? key('id') : key);
  const [, , ending = ''] = name.split(':');
  expect(readme).toMatch(new RegExp(`^\\|.*\`\\{auth\\}:${ending}(?:\`|:<).*\\|$`, 'm'));
});
