import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { findFiles, WORKSPACES } from './source-files.ts';

const MAX_FILES = 20;

test(`a folder has at most ${MAX_FILES} files`, () => {
  const files = findFiles(`{${WORKSPACES.join(',')}}/**/*.*`);
  const folders = Map.groupBy(files, dirname);
  expect(folders.size).toBeGreaterThan(20);
  const large = [...folders].filter(([, { length }]) => length > MAX_FILES);
  expect(large.map(([folder, { length }]) => `${folder}: ${length} files`)).toEqual([]);
});

// Archives and checkouts on some systems turn them into files with the path as their text.
test('no file is a symbolic link', () => {
  const files = findFiles(`{deploy,docs,${WORKSPACES.join(',')}}/**`);
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((file) => lstatSync(join(ROOT, file)).isSymbolicLink())).toEqual([]);
});
