import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { expect, test } from '@jest/globals';

const SHARED = new URL('../../shared/', import.meta.url);

test('shared/README.md has a line for every file of shared', () => {
  const readme = readFileSync(new URL('README.md', SHARED), 'utf8');
  const files = readdirSync(new URL('src', SHARED)).filter((file) => extname(file) !== '' && !file.includes('.test.'));
  expect(files.length).toBeGreaterThan(20);
  const unnamed = files.filter(
    (file) => !readme.includes(`\`${file}\``) && !readme.includes(`\`${basename(file, extname(file))}\``),
  );
  expect(unnamed).toEqual([]);
});
