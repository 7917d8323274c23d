import { SKILL_KINDS, type Skill } from '../skills/skill.ts';
import { FIELDS } from './fields.ts';
import type { SearchIndexData } from './index-data.ts';
import { LabelWriter } from './label-writer.ts';
import { NameWriter } from './name-writer.ts';
import { NumberWriter, toPopularity } from './number-writer.ts';
import { DocumentWords } from './words/document-words.ts';

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

/** Writes the search index of one snapshot, skill by skill. Use it once. */
export class IndexWriter {
  readonly #words = new DocumentWords();
  readonly #names = new NameWriter();
  readonly #categories = new LabelWriter();
  readonly #authors = new LabelWriter();
  readonly #repos = new LabelWriter();
  readonly #licenses = new LabelWriter();
  readonly #tags = new LabelWriter();
  readonly #kinds: number[] = [];
  readonly #valid: boolean[] = [];
  readonly #stars = new NumberWriter();
  readonly #downloads = new NumberWriter();
  readonly #updated = new NumberWriter();

  /** Returns the number of the document: 0, 1, 2… Its category must be final. */
  add(skill: SearchableSkill): number {
    const words = this.#words;
    words.begin();
    words.add(skill.name, FIELDS.name);
    if (skill.display_name !== skill.name) words.add(skill.display_name, FIELDS.displayName);
    words.add(skill.description, FIELDS.description);
    this.#names.add(skill.name, skill.display_name);
    this.#kinds.push(SKILL_KINDS.indexOf(skill.kind));
    this.#addLabels(skill);
    this.#stars.add(skill.stars);
    this.#downloads.add(skill.downloads);
    this.#updated.add(skill.updated_at === null ? null : Date.parse(skill.updated_at));
    return this.#valid.push(skill.valid) - 1;
  }

  /** Number of distinct words, also of documents that are left out. */
  get wordCount(): number {
    return this.#words.wordCount;
  }

  /**
   * `documents` are by row; others are left out. The first `listed` rows are of listed kinds.
   * @throws RangeError above 16,777,215 skills
   */
  finish(documents: Uint32Array, listed: number): SearchIndexData {
    const count = documents.length;
    if (count > MAX_SKILLS) throw new RangeError(`At most ${MAX_SKILLS} skills can be searched`);
    const stars = this.#stars.finish(documents);
    const downloads = this.#downloads.finish(documents);
    const popularity = toPopularity(stars, downloads);
    return {
      count,
      ...this.#words.finish(documents),
      ...this.#names.finish(documents, popularity.rows),
      listed,
      kinds: Uint8Array.from(documents, (document) => this.#kinds[document] as number),
      categories: this.#categories.finish(documents, listed),
      authors: this.#authors.finish(documents, listed),
      repos: this.#repos.finish(documents, listed),
      licenses: this.#licenses.finish(documents, listed),
      tags: this.#tags.finish(documents, listed),
      valid: Uint8Array.from(documents, (document) => Number(this.#valid[document])),
      stars,
      downloads,
      updated: this.#updated.finish(documents),
      popularity,
    };
  }

  #addLabels(skill: SearchableSkill): void {
    for (const tag of skill.tags) this.#addLabel(tag, this.#tags, FIELDS.tags);
    for (const category of skill.categories) this.#addLabel(category, this.#categories, FIELDS.category);
    if (skill.author !== null) this.#addLabel(skill.author, this.#authors, FIELDS.author);
    if (skill.source.repo !== null) this.#addLabel(skill.source.repo, this.#repos, FIELDS.repository);
    if (skill.license !== null) this.#licenses.add(skill.license);
    this.#tags.endDocument();
    this.#categories.endDocument();
    this.#authors.endDocument();
    this.#repos.endDocument();
    this.#licenses.endDocument();
  }

  #addLabel(label: string, labels: LabelWriter, field: number): void {
    labels.add(label);
    this.#words.add(label, field);
  }
}
