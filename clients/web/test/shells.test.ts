import { expect, test } from '@jest/globals';
import { toShell } from '../scripts/shells.ts';

test('requests the modules before the early script runs', () => {
  const modules = ['entry.js', 'chunk.js'];
  const shell = toShell({ name: 'console', style: '', early: 'early()', modules, parser: 'parser.js' });
  const places = ['/assets/entry.js', '/assets/chunk.js', 'early()'].map((text) => shell.indexOf(text));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
});
