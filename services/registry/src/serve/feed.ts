import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ChangeEntry } from '../changes/change-log.ts';
import type { SearchEngine } from '../search/engine.ts';
import type { Skill } from '../skills/skill.ts';
import { locateSkillPage } from '../skills/skill-file.ts';
import type { SkillTable } from '../skills/skill-table.ts';
import { cutText } from '../skills/text.ts';
import type { SnapshotMeta } from '../store/snapshot.ts';
import { type CodedBody, smallBody } from './http/coded-body.ts';
import { defineCacheable } from './http/contract.ts';

export const readFeed = defineCacheable({
  id: 'readFeed',
  path: '/api/feed.atom',
  summary: 'Read new skills as an Atom feed',
  description:
    'An Atom feed (RFC 4287) of the 100 newest skills, newest first. If fewer are known, the most recently updated skills follow.',
  response: {
    description: 'The feed.',
    contentType: 'application/atom+xml',
    schema: z.string(),
    example: '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">…</feed>',
  },
});

export const FEED_TYPE = 'application/atom+xml; charset=utf-8';

const MAX_ENTRIES = 100;
const MAX_SUMMARY_LENGTH = 500;
/** For the shipped file. */
const UNKNOWN_INSTALLATION = '00000000-0000-0000-0000-000000000000';

interface FeedSource {
  meta: SnapshotMeta;
  skills: SkillTable;
  /** `skills` is the number of listed ones. */
  counts: { skills: number };
  search: SearchEngine;
  history: readonly ChangeEntry[];
}

interface FeedEntry {
  row: number;
  /** Milliseconds: time when it was added here, else updated upstream. */
  at: number;
}

export function createFeedBody(source: FeedSource): CodedBody {
  return smallBody(() => Buffer.from(writeFeed(source)));
}

/**
 * The Atom feed (RFC 4287) of a snapshot: the newest skills, then the last updated ones, a hundred in all. Its links
 * are relative to it, so that they are valid behind any proxy.
 */
export function writeFeed(source: FeedSource): string {
  const { installation = UNKNOWN_INSTALLATION } = source.meta;
  const idOf = (name: string) => `urn:uuid:${nameBasedUuid(installation, name)}`;
  const entries = [...latestEntries(source)].map(({ row, at }) => {
    const skill = source.skills.skillAt(row);
    return writeEntry(skill, idOf(`skill ${skill.id}`), at);
  });
  const updated = source.history[0]?.at ?? source.meta.at;
  const head = [
    element('id', idOf('skills')),
    element('title', 'New skills'),
    element('updated', new Date(updated).toISOString()),
    // Applies to entries without an author.
    `<author>${element('name', 'Agent Fleet')}</author>`,
    emptyElement('link', { rel: 'self', type: 'application/atom+xml', href: 'feed.atom' }),
    emptyElement('link', { rel: 'alternate', type: 'application/json', href: 'skills?sort=updated' }),
  ];
  return `${XML_DECLARATION}\n<feed xmlns="http://www.w3.org/2005/Atom">\n${[...head, ...entries].join('\n')}\n</feed>\n`;
}

/** Without removed skills and duplicates. */
function* latestEntries(source: FeedSource): Iterable<FeedEntry> {
  const given = new Set<number>();
  for (const entry of newest(source)) {
    if (given.has(entry.row)) continue;
    given.add(entry.row);
    yield entry;
    if (given.size === MAX_ENTRIES) return;
  }
}

function* newest({ history, skills, counts, search }: FeedSource): Iterable<FeedEntry> {
  for (const { added, at } of history) {
    for (const id of added) {
      const row = skills.rowOf(id);
      if (row !== undefined && row < counts.skills) yield { row, at };
    }
  }
  // Twice as many, as some are in the feed already.
  const { rows } = search.find({ sort: 'updated', skip: 0, limit: 2 * MAX_ENTRIES });
  for (const row of rows) {
    const { updated_at } = skills.skillAt(row);
    const at = Date.parse(updated_at ?? '');
    if (!Number.isNaN(at)) yield { row, at };
  }
}

function writeEntry(skill: Skill, entryId: string, at: number): string {
  const { id, name, display_name, description, author, category, source } = skill;
  const json = { type: 'application/json', href: `skills/${encodeURIComponent(id)}` };
  const page = locateSkillPage(source);
  const parts = [
    element('id', entryId),
    element('title', display_name || name),
    element('updated', new Date(at).toISOString()),
    element('summary', cutText(description, MAX_SUMMARY_LENGTH)),
    author && `<author>${element('name', author)}</author>`,
    category && emptyElement('category', { term: category }),
    page && emptyElement('link', { rel: 'alternate', href: page }),
    emptyElement('link', { rel: page ? 'related' : 'alternate', ...json }),
  ];
  return `<entry>\n${parts.filter(Boolean).join('\n')}\n</entry>`;
}

/** A UUID of version 5 (RFC 9562 section 5.5): always the same for a name in a namespace, itself a UUID. */
export function nameBasedUuid(namespace: string, name: string): string {
  const named = Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)]);
  const bytes = hash('sha1', named, 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** Characters that XML 1.0 forbids in any form (production Char). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Unescaped, a parser would normalize them.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes a text for an element or a quoted attribute, without forbidden characters. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '')
    .replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] as string);
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function emptyElement(name: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<${name}${written.join('')}/>`;
}
