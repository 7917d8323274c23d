import { CategoryCount } from '../categories/categories.ts';
import type { Categories } from '../categories/contract.ts';
import { readDeclaredCategories } from '../categories/declared.ts';
import type { Skill, Sort } from './contract.ts';
import { assignIds } from './ids.ts';
import { type Draft, normaliseRecord } from './normalise.ts';
import { findRecords } from './records.ts';
import { Report } from './report.ts';
import { fold } from './search.ts';
import { compareTexts } from './text.ts';

/** What is kept of a skill in memory: the JSON that is served, and what lists are filtered and sorted by, folded once. */
export interface IndexedSkill {
  id: string;
  json: string;
  name: string;
  /** All that `q` looks into, folded. */
  text: string;
  category: string | null;
  author: string | null;
  tags: string[];
  stars: number | null;
  downloads: number | null;
  updatedAt: string | null;
}

/** One registry file, read: never changed once made. */
export interface SkillIndex {
  /** By name, then id. */
  skills: readonly IndexedSkill[];
  byId: ReadonlyMap<string, IndexedSkill>;
  categories: Categories;
  /** The id of a category given by id or name in any case. */
  categoryIdOf(given: string): string | undefined;
  report: Report;
  /** Orders made when first asked for. */
  orders: Map<`${Sort} ${'asc' | 'desc'}`, readonly IndexedSkill[]>;
}

/** Reads a parsed registry file of any known shape, record by record. Undefined when it has no known shape. */
export function createSkillIndex(document: unknown): SkillIndex | undefined {
  const records = findRecords(document);
  if (records === undefined) return undefined;
  const report = new Report();
  const drafts = records.map((record) => normaliseRecord(record, report)).filter((draft) => draft !== undefined);
  const ids = assignIds(drafts, report);
  const categories = new CategoryCount(readDeclaredCategories(document));
  const skills = drafts.map((draft, at) => toIndexed(finish(draft, ids[at] as string, categories)));
  skills.sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));
  return {
    skills,
    byId: new Map(skills.map((skill) => [skill.id, skill])),
    categories: categories.list(),
    categoryIdOf: (given) => categories.idOf(given),
    report,
    orders: new Map(),
  };
}

function finish({ skill, upstreamId }: Draft, id: string, categories: CategoryCount): Skill {
  for (const tag of skill.tags) categories.addTag(tag);
  const category = skill.category === null ? null : categories.addCategory(skill.category);
  const extra = upstreamId === undefined || upstreamId === id ? skill.extra : { id: upstreamId, ...skill.extra };
  return { id, ...skill, category, extra };
}

function toIndexed(skill: Skill): IndexedSkill {
  const { id, name, description, category, author, tags, stars, downloads } = skill;
  return {
    id,
    json: JSON.stringify(skill),
    name: fold(name),
    text: fold([name, id, description, tags.join('\n'), author, category].join('\n')),
    category,
    author: author?.toLowerCase() ?? null,
    tags: tags.map((tag) => tag.toLowerCase()),
    stars,
    downloads,
    updatedAt: skill.updated_at,
  };
}
