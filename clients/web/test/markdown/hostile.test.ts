import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
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
  const parsed = await parseMarkdown(text, { baseUrl: 'https://git.example/skill/' });
  for (const content of parsed.sections.flat()) check(content);
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
  const { sections } = await checkText(body);
  expect(JSON.stringify(sections)).toContain('hidden: text');
});

const LENGTH = 32_000;
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
  ['deeper and deeper lists', Array.from({ length: 170 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')],
  ['underlined headings', fill('a\n=\n')],
  ['lines of one character', `[${fill('a\n')}`],
  ['backticks', Array.from({ length: 250 }, (_, length) => '`'.repeat(length)).join(' ')],
  ['entities', fill('&amp;')],
  ['a wide table', `|${'a|'.repeat(5_000)}\n|${'-|'.repeat(5_000)}\n`],
  ['a wide and long table', `|${'a|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n${'|\n'.repeat(8_000)}`],
  ['one word', fill('a')],
])('parses %s in bounded time and depth', async (_, text) => {
  const startedAt = process.cpuUsage().user;
  const parsed = await checkText(text);
  expect((process.cpuUsage().user - startedAt) / 1000).toBeLessThan(5_000);
  expect(parsed.sections.flat().length).toBeGreaterThan(0);
});

test('shows the source of what takes too long, and renders the rest', async () => {
  let time = 0;
  const now = () => {
    time += 2;
    return time;
  };
  const slow = fill('a \\b ');
  const text = `# Before\n\n${'word '.repeat(2_000)}\n\nNow ${slow}\n\nAfter`;
  const { sections, isPartial } = await parseMarkdown(text, { now });
  expect(isPartial).toBe(true);
  expect(sections.at(0)?.at(0)).toMatchObject({ name: 'h2' });
  expect(sections.at(1)).toEqual([{ kind: 'plain', text: `Now ${slow}\n\n` }]);
  expect(sections.at(2)).toMatchObject([{ name: 'p', children: ['After'] }]);
});

test('shows the source of what is too long', async () => {
  const { sections, isPartial } = await checkText('a\n\n'.repeat(100_000));
  expect(isPartial).toBe(true);
  expect(sections).toEqual([[{ kind: 'plain', text: 'a\n\n'.repeat(100_000) }]]);
});

test('stops when the page has gone', async () => {
  const controller = new AbortController();
  const parsing = parseMarkdown('# A\n\nText\n\n'.repeat(20_000), { signal: controller.signal });
  controller.abort();
  await expect(parsing).rejects.toThrow(/abort/i);
});
