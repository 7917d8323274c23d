import type { BuiltSnapshot } from '../build/built-snapshot.ts';
import { SearchEngine } from '../search/engine.ts';
import { ResultCache } from '../serve/caching/result-cache.ts';
import { RawFile, Representation } from '../serve/http/representation.ts';
import { SkillTable } from '../skills/skill-table.ts';
import { filesOf, type StoredSnapshot } from './snapshot.ts';

/** A snapshot prepared for serving: complete and immutable. */
export interface Served extends StoredSnapshot, Pick<BuiltSnapshot, 'identities' | 'counts' | 'report'> {
  skills: SkillTable;
  search: SearchEngine;
  /** `/api/skills` without a query. */
  list: Representation;
  categories: Representation;
  wellKnown: Representation;
  /** `/registry.json`, by the label of its source, in the order of the sources. */
  registryFiles: Map<string, RawFile>;
  /** Filtered and paged lists. */
  results: ResultCache;
}

/** Combines a stored snapshot with its build, without copying. */
export function toServed({ meta, documents, history }: StoredSnapshot, built: BuiltSnapshot): Served {
  const { bodies, counts, report, identities } = built;
  const registryFiles = new Map<string, RawFile>();
  for (const [at, source] of meta.sources.entries()) {
    const [first] = filesOf(source, documents).documents;
    if (first) registryFiles.set(source.label, new RawFile(first, built.registryBr[at]));
  }
  return {
    meta,
    documents,
    skills: new SkillTable(built.skills),
    search: new SearchEngine(built.search),
    identities,
    list: new Representation(bodies.list),
    categories: new Representation(bodies.categories),
    wellKnown: new Representation(bodies.wellKnown),
    registryFiles,
    counts,
    report,
    history,
    results: new ResultCache(),
  };
}
