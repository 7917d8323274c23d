import { AnswerCache } from '../http/answer-cache.ts';
import { createRepresentation, type Representation } from '../http/representation.ts';
import type { SkillIndex } from '../skills/skill-index.ts';
import type { Source } from '../upstream/source.ts';
import type { Snapshot, SnapshotMeta } from './snapshot.ts';

/** A snapshot made ready to answer requests: whole, and never changed once made. */
export interface Served {
  source: Source;
  meta: SnapshotMeta;
  index: SkillIndex;
  /** The raw bytes as fetched. */
  registry: Representation;
  /** `/api/skills` without a query. */
  skills: Representation;
  categories: Representation;
  /** Filtered and paged lists. */
  answers: AnswerCache;
}

/** Encodes the whole answers once for all requests, off the main thread. */
export async function prepare(source: Source, { meta, bytes }: Snapshot, index: SkillIndex): Promise<Served> {
  const [registry, skills, categories] = await Promise.all([
    createRepresentation(bytes),
    createRepresentation(Buffer.from(joinSkills(index.skills))),
    createRepresentation(Buffer.from(JSON.stringify(index.categories))),
  ]);
  return { source, meta, index, registry, skills, categories, answers: new AnswerCache() };
}

/** A JSON array of skills, from the JSON that each is kept as. */
export function joinSkills(skills: readonly { json: string }[]): string {
  return `[${skills.map(({ json }) => json).join(',')}]`;
}
