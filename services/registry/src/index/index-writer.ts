import { SKILL_KINDS, type Skill } from '../skills/skill.ts';
import { FIELDS, LABEL_FIELDS, type LabelField, type SearchIndexData } from './index-data.ts';
import { LabelWriter } from './label-writer.ts';
import { NameWriter } from './name-writer.ts';
import { toNumberColumn, toPopularity, UNKNOWN } from './numbers.ts';
import { WordWriter } from './words/word-writer.ts';

/** A posting has 32 bits: 24 for the row, 8 for the fields. */
const MAX_SKILLS = 2 ** 24 - 1;

/** The fields to search, filter and sort by. */
export type SearchableSkill = Pick<
  Skill,
  | 'name'
  | 'display_name'
  | 'description'
  | 'kind'
  | 'categories'
  | 'tags'
  | 'author'
  | 'source'
  | 'license'
  | 'valid'
  | 'stars'
  | 'downloads'
  | 'updated_at'
>;

/** Skills by row. */
export interface SkillRows {
  count: number;
  skillAt(row: number): SearchableSkill;
}

/** Writes the search index. The first `listed` rows are of listed kinds. @throws RangeError above 16,777,215 skills */
export function writeIndex(skills: SkillRows, listed: number): SearchIndexData {
  if (skills.count > MAX_SKILLS) throw new RangeError(`At most ${MAX_SKILLS} skills can be searched`);
  const writer = new IndexWriter(skills.count);
  for (let row = 0; row < skills.count; row++) writer.add(row, skills.skillAt(row));
  return writer.finish(listed);
}

class IndexWriter {
  readonly #words: WordWriter;
  readonly #names: NameWriter;
  readonly #labels: Record<LabelField, LabelWriter>;
  readonly #kinds: Uint8Array;
  readonly #valid: Uint8Array;
  readonly #stars: Float64Array;
  readonly #downloads: Float64Array;
  readonly #updated: Float64Array;

  constructor(count: number) {
    this.#words = new WordWriter(count);
    this.#names = new NameWriter(count);
    this.#labels = byField(() => new LabelWriter(count));
    this.#kinds = new Uint8Array(count);
    this.#valid = new Uint8Array(count);
    this.#stars = new Float64Array(count);
    this.#downloads = new Float64Array(count);
    this.#updated = new Float64Array(count);
  }

  /** Adds the next row. */
  add(row: number, skill: SearchableSkill): void {
    const words = this.#words;
    words.begin(row);
    words.add(skill.name, FIELDS.name);
    if (skill.display_name !== skill.name) words.add(skill.display_name, FIELDS.displayName);
    words.add(skill.description, FIELDS.description);
    this.#names.add(row, skill.name, skill.display_name);
    const { tags, categories, authors, repos, licenses } = this.#labels;
    this.#addLabels(row, skill.tags, tags, FIELDS.tags);
    this.#addLabels(row, skill.categories, categories, FIELDS.category);
    this.#addLabels(row, [skill.author], authors, FIELDS.author);
    this.#addLabels(row, [skill.source.repo], repos, FIELDS.repository);
    this.#addLabels(row, [skill.license], licenses);
    this.#kinds[row] = SKILL_KINDS.indexOf(skill.kind);
    this.#valid[row] = Number(skill.valid);
    this.#stars[row] = skill.stars ?? UNKNOWN;
    this.#downloads[row] = skill.downloads ?? UNKNOWN;
    const updated = skill.updated_at === null ? Number.NaN : Date.parse(skill.updated_at);
    this.#updated[row] = Number.isNaN(updated) ? UNKNOWN : updated;
  }

  finish(listed: number): SearchIndexData {
    const stars = toNumberColumn(this.#stars);
    const downloads = toNumberColumn(this.#downloads);
    const popularity = toPopularity(stars, downloads);
    return {
      count: this.#kinds.length,
      ...this.#words.finish(),
      ...this.#names.finish(popularity.rows),
      listed,
      kinds: this.#kinds,
      ...byField((field) => this.#labels[field].finish(listed)),
      valid: this.#valid,
      stars,
      downloads,
      updated: toNumberColumn(this.#updated),
      popularity,
    };
  }

  #addLabels(row: number, values: readonly (string | null)[], labels: LabelWriter, field?: number): void {
    for (const value of values) {
      if (value === null) continue;
      labels.add(row, value);
      if (field !== undefined) this.#words.add(value, field);
    }
    labels.end(row);
  }
}

function byField<Value>(make: (field: LabelField) => Value): Record<LabelField, Value> {
  return Object.fromEntries(LABEL_FIELDS.map((field) => [field, make(field)])) as Record<LabelField, Value>;
}
