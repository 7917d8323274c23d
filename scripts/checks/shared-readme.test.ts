import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const SHARED = new URL('../../shared/', import.meta.url);

test('shared/README.md has a line for every file of shared', () => {
  const readme = readFileSync(new URL('README.md', SHARED), 'utf8');
  const files = globSync('**/*.ts', { cwd: fileURLToPath(new URL('src', SHARED)) }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(15);
  const unnamed = files.filter((file) => !readme.includes(`\`${file.slice(0, -extname(file).length)}\``));
  expect(unnamed).toEqual([]);
});
