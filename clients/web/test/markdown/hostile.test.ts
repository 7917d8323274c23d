import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toAddress } from '../../src/markdown/addresses.ts';
import type { Content } from '../../src/markdown/elements.ts';
import { splitFrontMatter } from '../../src/markdown/front-matter.ts';
import { parseMarkdown } from '../../src/markdown/parse-markdown.ts';

const NAMES =
  'a blockquote br code del div em h2 h3 h4 h5 h6 hr input kbd label li ol p span strong sub sup table tbody ' +
  'td th thead tr ul';
const ATTRIBUTES = 'id class href rel role aria-label tabIndex start scope type checked disabled';
const CLASSES = ['md-address', 'md-center', 'md-right', 'md-source', 'md-table', 'md-task'];
const MAX_DEPTH = 80;

/** Throws for whatever no text may become. */
function check(content: Content, depth = 0): void {
  expect(depth).toBeLessThan(MAX_DEPTH);
  if (typeof content === 'string') {
    expect(content).not.toMatch(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/u);
    return;
  }
  if (content.kind !== 'element') return;
  expect(NAMES.split(' ')).toContain(content.name);
  for (const [name, value] of Object.entries(content.attributes)) {
    expect(ATTRIBUTES.split(' ')).toContain(name);
    if (name === 'href') expect(value).toMatch(/^(?:https?:\/\/(?![^/]*@)|mailto:|#md)/);
    if (name === 'class') expect(CLASSES).toContain(value);
    if (name === 'id') expect(value).toMatch(/^md/);
  }
  for (const child of content.children) check(child, depth + 1);
}

async function checkText(text: string) {
  const parsed = await parseMarkdown(text, (url) => toAddress(url, 'https://git.example/skill/'));
  for (const content of parsed.blocks) check(content);
  return parsed;
}

const MARKS =
  '* ** _ ~~ ` ``` [ ] ( ) ![ ]( < > <b> </b> <kbd> </kbd> <br> <script> <!-- --> & &amp; &#0; | |-| - + 1. # > >> [x]';
const fragment = fc.constantFrom(
  ...MARKS.split(' '),
  ...['\n', '\n\n', '    ', '\t', '\\', '[^a]', '[^a]: ', '[a]: ', '\u202e', '\u0000', '\ud800', 'www.a.b', 'a@b.c'],
  ...['javascript:alert(1)', 'JaVaScRiPt&colon;x', 'data:text/html,x', '//a.b', 'http://', 'vbscript:', 'a', ' '],
);

test('makes nothing but known elements, attributes and addresses of any text', async () => {
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('')) },
    unicodeText({ maxLength: 200 }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (source) => {
      await checkText(source);
    }),
    { numRuns: 600 },
  );
});

test('shows what looks like a second front matter', async () => {
  const { body } = splitFrontMatter('---\nname: a\n---\n---\nhidden: text\n---\nHarmless');
  const { blocks } = await checkText(body);
  expect(JSON.stringify(blocks)).toContain('hidden: text');
});

const LENGTH = 256_000;
const fill = (text: string) => text.repeat(LENGTH / text.length);

test.each([
  ['brackets', fill('[')],
  ['closing brackets', fill(']')],
  ['nested links', `${'['.repeat(LENGTH / 2)}a${fill('](b)').slice(LENGTH / 2)}`],
  ['footnote references', fill('[^a]')],
  ['alternating emphasis', fill('*a_ ')],
  ['nested emphasis', `${'*'.repeat(LENGTH / 2)}a${'*'.repeat(LENGTH / 2 - 1)}`],
  ['quotes in quotes', fill('>')],
  ['lists in quotes', fill('>- ')],
  ['numbered lists in lists', fill('1. ')],
  ['deeper and deeper lists', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')],
  ['underlined headings', fill('a\n=\n')],
  ['lines of one character', `[${fill('a\n')}`],
  ['backticks', Array.from({ length: 700 }, (_, length) => '`'.repeat(length)).join(' ')],
  ['entities', fill('&amp;')],
  ['a wide table', `|${'a|'.repeat(50_000)}\n|${'-|'.repeat(50_000)}\n`],
  ['a wide and long table', `|${'a|'.repeat(25_000)}\n|${'-|'.repeat(25_000)}\n${'|\n'.repeat(70_000)}`],
  ['one word', fill('a')],
])('parses %s in bounded time and depth', async (_, text) => {
  const startedAt = process.cpuUsage().user;
  const parsed = await checkText(text);
  expect((process.cpuUsage().user - startedAt) / 1000).toBeLessThan(5_000);
  expect(parsed.blocks.length).toBeGreaterThan(0);
});

const needle = 'hidden in the depth';

test.each([
  ['quotes', `${'> '.repeat(100)}${needle}`],
  ['lists', `${'- '.repeat(100)}${needle}`],
  ['emphasis', `${'*a **b '.repeat(100)}${needle}${'** *'.repeat(100)}`],
  ['links', `${'['.repeat(100)}${needle}${'](b)'.repeat(100)}`],
])('shows what is deep in %s', async (_, text) => {
  const { blocks } = await checkText(`Before\n\n${text}\n\nAfter`);
  const shown = JSON.stringify(blocks);
  for (const part of ['Before', needle, 'After']) expect(shown).toContain(part);
});

test('shows the source of a block that is too deep, and renders the rest', async () => {
  const { blocks, isPartial } = await checkText(`# Before\n\n${'>'.repeat(50)}deep\n\nAfter`);
  expect(isPartial).toBe(true);
  expect(blocks).toMatchObject([
    { name: 'h2' },
    { kind: 'plain', text: `${'>'.repeat(50)}deep` },
    { name: 'p', children: ['After'] },
  ]);
});

test('shows the source of what follows too many blocks', async () => {
  const { blocks, isPartial } = await checkText('a\n\n'.repeat(40_000));
  expect(isPartial).toBe(true);
  expect(blocks.length).toBeGreaterThan(5_000);
  expect(blocks.at(-1)).toEqual({ kind: 'plain', text: 'a\n\n'.repeat(40_001 - blocks.length) });
});

test('shows the source of what is too long', async () => {
  const { blocks, isPartial } = await checkText('a\n\n'.repeat(100_000));
  expect(isPartial).toBe(true);
  expect(blocks).toEqual([{ kind: 'plain', text: 'a\n\n'.repeat(100_000) }]);
});
