import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { findFiles, readSourceFiles } from './source-files.ts';

const LINK = /\]\((?!https?:|#)([^)#\s]+)/g;

/** Speak of the code of others. */
const SKILLS = 'services/registry/skills/';

/** A name as in code: `commonHeaders`, `commonHeaders()`. */
const NAME = /`([a-z]+[A-Z][a-zA-Z]*)(?:\(\))?`/g;

test('every name of code in a Markdown file exists', () => {
  const texts = readSourceFiles().map(({ text }) => text);
  const others = ['tsconfig.base.json', ...findFiles('deploy/helm/agent-fleet/{Chart,values}.yaml')];
  const code = [...texts, ...others.map((file) => readFileSync(join(ROOT, file), 'utf8'))].join('\n');
  const pages = findFiles('**/*.md').filter((page) => !page.startsWith(SKILLS));
  const unknown = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(NAME)]
      .filter(([, name = '']) => !code.includes(name))
      .map(([, name]) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

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
