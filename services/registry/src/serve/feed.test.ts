import { randomUUID } from 'node:crypto';
import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { parseAtomFeed } from 'feedsmith';
import { runs } from '../../test/support/property-runs.ts';
import { servedOf } from '../../test/support/served.ts';
import type { ChangeEntry } from '../changes/change-log.ts';
import { nameBasedUuid, writeFeed } from './feed.ts';

interface Entry {
  id: string;
  updated: string;
  link: { rel: string; href: string }[];
}

interface Feed extends Entry {
  entry: Entry[];
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => name === 'entry' || name === 'link',
});

function read(xml: string): Feed {
  expect(XMLValidator.validate(xml)).toBe(true);
  const { feed } = parser.parse(xml) as { feed: Feed };
  return { ...feed, entry: feed.entry ?? [] };
}

const day = (number: number) => Date.UTC(2026, 0, number);
const names = (count: number, prefix = 'skill') => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
const registryOf = (ids: string[], fields: object = {}) => ({ skills: ids.map((id) => ({ id, name: id, ...fields })) });
const entry = (at: number, added: string[]): ChangeEntry => {
  return { from: `${at - 1}`, to: `${at}`, at, added, changed: [], removed: [] };
};
/** The ids of the skills in the feed, from the links to their JSON. */
const idsOf = (feed: Feed) =>
  feed.entry.map(({ link }) => link.map(({ href }) => /^skills\/(.*)/.exec(href)?.[1]).find(Boolean));

test('the feed lists the skills that were added last, the latest first', () => {
  const history = [entry(day(3), ['skill-2', 'gone']), entry(day(2), ['skill-1', 'skill-2'])];
  const feed = read(writeFeed(servedOf(registryOf(names(5)), { history })));
  expect(idsOf(feed)).toEqual(['skill-2', 'skill-1']);
  expect(feed.updated).toBe('2026-01-03T00:00:00.000Z');
  expect(feed.entry.map(({ updated }) => updated)).toEqual(['2026-01-03T00:00:00.000Z', '2026-01-02T00:00:00.000Z']);
});

test.each([
  ['150 of which two were added', 150, ['skill-7', 'skill-149'], ['skill-7', 'skill-149', 'skill-148', 'skill-147']],
  ['300 that were all added', 300, names(300), names(4)],
])('the feed has a hundred skills, those added first and then those updated last: %s', (_what, count, added, first) => {
  const skills = names(count).map((id, at) => ({ id, name: id, updated_at: new Date(day(1) + at).toISOString() }));
  const feed = read(writeFeed(servedOf({ skills }, { history: [entry(day(400), added)] })));
  expect(idsOf(feed).slice(0, 4)).toEqual(first);
  expect(feed.entry).toHaveLength(100);
  expect(new Set(idsOf(feed)).size).toBe(100);
});

test('the feed has no entries if no skill is known to be new', () => {
  const feed = read(writeFeed(servedOf(registryOf(names(3)), { at: day(7) })));
  expect(feed.entry).toEqual([]);
  expect(feed.updated).toBe('2026-01-07T00:00:00.000Z');
  expect(feed.link).toContainEqual(expect.objectContaining({ rel: 'self', href: 'feed.atom' }));
});

test('an entry of the feed has the title, summary, author, category and links of a skill', () => {
  const skill = {
    id: 'a',
    name: 'a',
    display_name: 'Reads & <reports>',
    description: `"${'ä'.repeat(600)}"`,
    author: 'A <b>',
    category: 'R&"D"',
    url: 'https://example.com/?a=1&b=2',
  };
  const [only] = read(writeFeed(servedOf({ skills: [skill] }, { history: [entry(day(2), ['a'])] }))).entry;
  expect(only).toMatchObject({
    title: 'Reads & <reports>',
    summary: `"${'ä'.repeat(499)}`,
    author: { name: 'A <b>' },
    category: { term: 'R&"D"' },
  });
  expect(only?.link).toEqual([
    { rel: 'alternate', href: 'https://example.com/?a=1&b=2' },
    { rel: 'related', type: 'application/json', href: 'skills/a' },
  ]);
});

test('the feed is well-formed for skills with any content', () => {
  const text = fc.oneof(
    unicodeText(),
    fc.string({ unit: fc.constantFrom('<', '&', ']]>', '"', '\u0000', '\ud800', '\ufffe', '\n') }),
  );
  const skill = fc.record({ id: fc.constant('a'), name: text, description: text, author: text, category: text });
  fc.assert(
    fc.property(skill, (given) => {
      const xml = writeFeed(servedOf({ skills: [given] }, { history: [entry(day(2), ['a'])] }));
      expect(read(xml).entry).toHaveLength(1);
      expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
    }),
    { numRuns: runs(50) },
  );
});

test.each([
  [{ repo: 'owner/tools', path: 'skills/a', ref: 'v1' }, 'https://github.com/owner/tools/tree/v1/skills/a'],
  [{}, 'skills/a'],
])('an entry of the feed links to the page of the skill %j: %s', (fields, href) => {
  const served = servedOf([{ id: 'a', name: 'a', ...fields }], { history: [entry(day(2), ['a'])] });
  const [only] = read(writeFeed(served)).entry;
  expect(only?.link.find(({ rel }) => rel === 'alternate')?.href).toBe(href);
});

test('the ids of the feed are those of the installation, and do not change with the snapshot', () => {
  const idsIn = (installation: string, count: number) => {
    const history = [entry(day(2), ['skill-1', 'skill-2'])];
    const feed = read(writeFeed(servedOf(registryOf(names(count)), { history, installation })));
    return [feed.id, ...feed.entry.map(({ id }) => id)];
  };
  const [one, other] = [randomUUID(), randomUUID()];
  expect(idsIn(one, 5)).toEqual(idsIn(one, 7));
  expect(new Set([...idsIn(one, 5), ...idsIn(other, 5)]).size).toBe(6);
  for (const id of idsIn(one, 5))
    expect(id).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('a feed reader reads the title and the link of each entry', () => {
  const skill = {
    id: 'a',
    name: 'a',
    display_name: 'A & <b>',
    description: 'Text.',
    url: 'https://example.com/?a=1&b=2',
  };
  const feed = parseAtomFeed(writeFeed(servedOf([skill], { history: [entry(day(2), ['a'])] })));
  expect(feed).toMatchObject({ title: { value: 'New skills' }, authors: [{ name: 'Agent Fleet' }] });
  expect(feed.entries).toMatchObject([
    { title: { value: 'A & <b>' }, summary: { value: 'Text.' }, updated: new Date(day(2)).toISOString() },
  ]);
  expect(feed.entries?.[0]?.links?.[0]).toMatchObject({ rel: 'alternate', href: skill.url });
});

// The example of RFC 9562 appendix A.4.
test('a name-based UUID is that of the specification', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  expect(nameBasedUuid(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});
