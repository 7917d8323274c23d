import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { findFiles } from './source-files.ts';

const LINK = /\]\((?!https?:|#)([^)#\s]+)/g;

test('every relative link in a Markdown file leads to a file or folder', () => {
  const pages = findFiles('**/*.md');
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});
