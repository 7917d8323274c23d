import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { GuideText } from '../src/guide/guide-text.ts';
import { searchGuide, textOf, toGuideText } from '../src/guide/guide-text.ts';
import { parseMarkdown } from '../src/markdown/parse-markdown.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const INDEX = 'docs/README.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const listed = Array.from(read(INDEX).matchAll(/\]\(([^)]+)\)/g), ([, url = '']) => join('docs', url));
Object.assign(globalThis, { GUIDE_FILES: Object.fromEntries([INDEX, ...listed].map((path) => [path, 'asset'])) });
const { hrefOf, linksFrom, PATHS, pathOf } = await import('../src/guide/guide-files.ts');

const toPage = async (path: string, text: string) =>
  toGuideText(path, (await parseMarkdown(text, linksFrom(path))).blocks);
let pages: GuideText[];
beforeAll(async () => {
  pages = await Promise.all(PATHS.map((path) => toPage(path, read(path))));
});

test('each page of docs is listed by role, with an address and a title of its own', () => {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  expect(PATHS).toEqual(expect.arrayContaining(docs.map((name) => `docs/${name}`)));
  expect(new Set(PATHS.map(hrefOf)).size).toBe(PATHS.length);
  for (const path of PATHS) expect(pathOf(hrefOf(path).slice('/guide/'.length))).toBe(path);
  expect(pathOf('none')).toBeUndefined();
  expect(pages.map(({ title }) => title)).not.toContain('');
});

test('no link between pages of the guide is dead', () => {
  const links = pages.flatMap(({ path }) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, url = '']) => ({ path, url })),
  );
  const dead = links.filter(({ path, url }) => {
    const address = url.startsWith('#') ? hrefOf(path) + url.replace('#', '#md-') : linksFrom(path)(url);
    if (address === undefined || url.endsWith('.svg'))
      return !existsSync(join(ROOT, dirname(path), url.replace(/#.*/, '')));
    const [, name = '', id] = /^\/guide\/?([^#]*)(?:#(.*))?$/.exec(address) ?? [];
    const target = pages.find((page) => page.path === pathOf(name));
    return !target || (id !== undefined && !target.sections.some((section) => section.id === id));
  });
  expect(links.length).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});

test('links lead to pages, headings and pictures of the guide, and nowhere for other files', () => {
  const toAddress = linksFrom('docs/redis.md');
  expect(toAddress('production.md')).toBe('/guide/production');
  expect(toAddress('../clients/cli/README.md#the-package')).toBe('/guide/cli#md-the-package');
  expect(toAddress('README.md')).toBe('/guide');
  expect(toAddress('concepts.svg')).toMatch(/\/assets\/asset$/);
  expect(toAddress('../gateway/src/main.ts')).toBeUndefined();
  expect(toAddress('https://example.com/a')).toBe('https://example.com/a');
  expect(toAddress('javascript:alert(1)')).toBeUndefined();
});

test('a picture of the pages is shown, and one from elsewhere is a link', async () => {
  const { blocks } = await toPage('docs/x.md', '# X\n\n![Own](concepts.svg)\n\n![Other](https://example.com/a.svg)');
  const elements = blocks.map((block) => (block as { children: { name: string }[] }).children[0]?.name);
  expect(elements).toEqual(['img', 'a']);
});

test('the title is taken from a page, its headings go one up, and comments of code are none', async () => {
  const text = '# A `b`\n\nOne.\n\n## Two\n\n```sh\n## no heading\n```\n\n### [Three](redis.md)\n\n#### Four';
  const { title, blocks, sections } = await toPage('docs/x.md', text);
  expect(title).toBe('A b');
  expect(blocks.map((block) => (block as { name?: string }).name ?? 'code')).toEqual(['p', 'h2', 'code', 'h3', 'h4']);
  expect(sections.map(({ heading, id, isTop }) => [heading, id, isTop])).toEqual([
    ['A b', '', false],
    ['Two', 'md-two', true],
    ['Three', 'md-three', false],
    ['Four', 'md-four', false],
  ]);
  expect(textOf(blocks[2] ?? '')).toBe('## no heading');
});

test('a search finds the parts that have all words, those with them in title and heading first', async () => {
  const own = [
    await toPage('a.md', '# Apples\n\nA pear.\n\n## Plums\n\nStones.'),
    await toPage('b.md', '# Pears\n\n## Stones\n\nNo plums.'),
  ];
  const found = (words: string) => searchGuide(own, words).map(({ label }) => label);
  expect(found('STONES plum')).toEqual(['Apples: Plums', 'Pears: Stones']);
  expect(found('pear')).toEqual(['Pears', 'Pears: Stones', 'Apples']);
  expect(found('apples cherries')).toEqual([]);
  expect(found('  ')).toEqual([]);
});

test('the code of "Write a worker" is that of the examples', () => {
  const page = read('docs/write-a-worker.md');
  for (const path of ['clients/worker/examples/worker.ts', 'clients/python/examples/echo_worker.py'])
    expect(page).toContain(`\n${read(path)}\`\`\`\n`);
});
