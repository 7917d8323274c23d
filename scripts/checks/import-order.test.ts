import { expect, test } from '@jest/globals';
import { backwardImports, ORDERS } from './import-order.ts';
import { readSourceFiles } from './source-files.ts';

const files = readSourceFiles();

test.each(Object.entries(ORDERS))('imports between the folders of %s go one way', (room, order) => {
  const parts = new Set(files.flatMap(({ path }) => (path.startsWith(`${room}/`) ? path.split('/') : [])));
  expect(order.flat().filter((part) => !parts.has(part))).toEqual([]);
  expect(backwardImports(room, files, order)).toEqual([]);
});

test.each([
  ['low/a.ts', '../high/b.ts', ['room/low/a.ts imports high']],
  ['low/a.ts', '../beside/b.ts', ['room/low/a.ts imports beside']],
  ['low/a.ts', '../main.ts', ['room/low/a.ts imports main.ts']],
  ['other/a.ts', '../low/b.ts', ['room/other/a.ts: other has no place in the order of room']],
  ['low/a.ts', './b.ts', []],
  ['low/a.test.ts', '../high/b.ts', []],
  ['high/deep/a.ts', '../../low/b.ts', []],
])('%s of a room imports %s', (path, specifier, expected) => {
  const file = { path: `room/${path}`, text: `import { a } from '${specifier}';` };
  expect(backwardImports('room', [file], [['low', 'beside'], ['high'], ['main.ts']])).toEqual(expected);
});
