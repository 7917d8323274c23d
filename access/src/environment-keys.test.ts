import { expect, test } from '@jest/globals';
import { parseApiKeys } from './environment-keys.ts';

const ONE = 'first-key-0123456789';
const TWO = 'second-key-0123456789';

test('names keys by their entry or their position', () => {
  const keys = parseApiKeys(`ci:${ONE}, ${TWO}`);
  expect(keys.find(ONE)?.name).toBe('ci');
  expect(keys.find(TWO)?.name).toBe('key-2');
  expect(keys.list.map(({ name }) => name)).toEqual(['ci', 'key-2']);
});

test.each([
  [`ci:viewer:${ONE}`, 'ci', 'viewer', ONE],
  [`ci:operator:${ONE}`, 'ci', 'operator', ONE],
  [`ci:worker:${ONE}`, 'ci', 'worker', ONE],
  [`ci:admin:${ONE}`, 'ci', 'admin', ONE],
  // Without a role in the middle, colons belong to the key.
  [`ci:${ONE}`, 'ci', 'admin', ONE],
  [ONE, 'key-1', 'admin', ONE],
  [`ci:root:${ONE}`, 'ci', 'admin', `root:${ONE}`],
  [`ci:Viewer:${ONE}`, 'ci', 'admin', `Viewer:${ONE}`],
  [`ci:constructor:${ONE}`, 'ci', 'admin', `constructor:${ONE}`],
  [`ci:viewer:a:b:${ONE}`, 'ci', 'viewer', `a:b:${ONE}`],
  [`viewer:${ONE}`, 'viewer', 'admin', ONE],
  [`ci:viewer:admin:${ONE}`, 'ci', 'viewer', `admin:${ONE}`],
])('reads %j as the key %s with the role %s', (list, name, role, key) => {
  expect(parseApiKeys(list).find(key)).toMatchObject({ name, role });
});

test('a key has a UUID that depends on its name alone, and the list does not show its text', () => {
  const keys = parseApiKeys(`ci:${ONE},other:${TWO}`);
  const again = parseApiKeys(`other:viewer:${ONE},ci:worker:${TWO}`);
  const ids = (list: typeof keys.list) => Object.fromEntries(list.map(({ id, name }) => [name, id]));
  expect(ids(again.list)).toEqual(ids(keys.list));
  expect(new Set(keys.list.map(({ id }) => id)).size).toBe(2);
  for (const { id } of keys.list)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(JSON.stringify(keys)).not.toContain('0123456789');
});

test.each(['', ONE.slice(0, -1), ONE.toUpperCase(), `ci:${ONE}`, `${ONE},${TWO}`, `viewer:${ONE}`])(
  'does not accept the text %j as a key',
  (given) => {
    for (const list of [`ci:${ONE},${TWO}`, `ci:viewer:${ONE}`, '']) {
      expect(parseApiKeys(list).find(given)).toBeUndefined();
    }
  },
);

test('a key is known after its first use', () => {
  const keys = parseApiKeys(`ci:${ONE},${TWO}`);
  expect(keys.isKnown(ONE)).toBe(false);
  keys.find(ONE);
  keys.find('wrong');
  expect([keys.isKnown(ONE), keys.isKnown(TWO), keys.isKnown('wrong')]).toEqual([true, false, false]);
});

test('knows weak keys by their names, without their texts', () => {
  const { weak, list } = parseApiKeys(`short:0123456789abcde,few:${'xyz'.repeat(10)},good:0123456789abcdef`);
  expect(weak).toEqual([
    'key short must have at least 16 characters',
    'key few must have at least 6 different characters',
  ]);
  expect(list).toHaveLength(3);
});

test.each([
  ['ci:', 'visible ASCII'],
  ['ci:viewer:', 'visible ASCII'],
  [`a b:${ONE}`, 'invalid name in entry 1 ('],
  [`:${ONE}`, 'invalid name in entry 1 ('],
  [`:viewer:${ONE}`, 'invalid name in entry 1 ('],
  [`ci:${ONE} x`, 'visible ASCII'],
  [`ci:viewer:${ONE}é`, 'visible ASCII'],
  [`01a2126f-0445-7f68-8a6f-98df614fcca4:${ONE}`, 'has the form of an id'],
  [`ci:${ONE},ci:${TWO}`, 'duplicate name: ci'],
  [`ci:${ONE},ci:viewer:${TWO}`, 'duplicate name: ci'],
  [`key-2:${ONE},${TWO}`, 'duplicate name: key-2'],
  [`a:${ONE},b:${ONE}`, 'duplicate key: b'],
  [`a:${ONE},b:viewer:${ONE}`, 'duplicate key: b'],
])('refuses the list %j', (list, problem) => {
  expect(() => parseApiKeys(list)).toThrow(problem);
});
