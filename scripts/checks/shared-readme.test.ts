import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

test.each([
  ['shared', 15],
  ['access', 8],
])('%s/README.md has a line for every file', (workspace, least) => {
  const root = new URL(`../../${workspace}/`, import.meta.url);
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const files = globSync('**/*.ts', { cwd: fileURLToPath(new URL('src', root)) }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(least);
  const unnamed = files.filter((file) => !readme.includes(`\`${file.slice(0, -extname(file).length)}\``));
  expect(unnamed).toEqual([]);
});
