import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINK = /\]\((?!https?:|#)([^)#\s]+)/g;

test('every relative link in a Markdown file leads to a file or folder', () => {
  const pages = globSync('**/*.md', { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});
