import type { BuiltSnapshot, PreviousBuild } from '../build/built-snapshot.ts';
import { trendingRows } from '../changes/trends.ts';
import { SearchEngine } from '../search/engine.ts';
import { SkillTable } from '../skills/skill-table.ts';
import type { SourceDocument } from '../source/document.ts';
import { filesOf, type StoredSnapshot } from '../store/snapshot.ts';
import { createFeedBody } from './feed.ts';
import { type CodedBody, createRawFile, smallBody } from './http/coded-body.ts';
import { createListBody } from './lists/list-body.ts';
import { createWellKnownBody } from './well-known.ts';

/** A snapshot prepared for serving: complete and immutable. Its bodies are coded at the first demand. */
export interface Served extends StoredSnapshot, Pick<BuiltSnapshot, 'identities' | 'counts' | 'report'> {
  /** For the next build. */
  built: PreviousBuild;
  skills: SkillTable;
  search: SearchEngine;
  /** JSON of `/api/categories`. */
  categoriesJson: Buffer;
  bodies: {
    /** `/api/skills` without a query. */
    list: CodedBody;
    categories: CodedBody;
    feed: CodedBody;
    wellKnown: CodedBody;
  };
  /** `/registry.json`, by the label of its source, in the order of the sources. */
  registryFiles: Map<string, CodedBody>;
  /** The SKILL.md files of the snapshot, by their digest. */
  skillFiles: ReadonlyMap<string, SourceDocument>;
}

/** Combines a stored snapshot with its build, without copying. */
export function toServed({ meta, documents, history, trends }: StoredSnapshot, built: BuiltSnapshot): Served {
  const { counts, report, identities, records } = built;
  const registryFiles = new Map<string, CodedBody>();
  const skillFiles = new Map<string, SourceDocument>();
  for (const source of meta.sources) {
    const [first, ...others] = filesOf(source, documents).documents;
    if (first) registryFiles.set(source.label, createRawFile(first));
    const records = new Set(source.recordDocuments);
    for (const [at, document] of others.entries()) if (!records.has(at + 1)) skillFiles.set(document.digest, document);
  }
  const skills = new SkillTable(built.skills);
  const trending = trendingRows(trends, meta.at, skills, built.search.popularity.ranks);
  const search = new SearchEngine(built.search, trending);
  const { buffer, byteOffset, byteLength } = built.categories;
  const categoriesJson = Buffer.from(buffer, byteOffset, byteLength);
  const bodies = {
    list: createListBody(skills, counts.skills, identities.fingerprints),
    categories: smallBody(() => categoriesJson),
    feed: createFeedBody({ meta, skills, counts, search, history }),
    wellKnown: createWellKnownBody(skills, counts.skills, identities.fingerprints, skillFiles),
  };
  return {
    meta,
    documents,
    history,
    trends,
    skills,
    search,
    identities,
    built: { records, identities, counts },
    categoriesJson,
    bodies,
    registryFiles,
    skillFiles,
    counts,
    report,
  };
}
