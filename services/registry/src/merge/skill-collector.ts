import type { SearchIndexData } from '../index/index-data.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { NO_ROW } from '../index/words/document-words.ts';
import { foldName } from '../index/words/fold.ts';
import type { Draft, DraftSkill } from '../normalise/normalise.ts';
import { findIssues } from '../normalise/validity.ts';
import { CategoryCount } from '../serve/categories/categories.ts';
import { identityOf } from '../skills/ids.ts';
import { Report } from '../skills/report.ts';
import { compareTexts } from '../skills/text.ts';
import { CollectedSkills } from './collected-skills.ts';
import { Duplicates } from './duplicates.ts';
import { mergeSkill } from './merge-skills.ts';

const MAX_MERGED = 100;
/** Of further duplicates of a skill, only the sources and the number are noted. */
const MAX_MERGED_RECORDS = 100;

/** Collects the records of all sources and merges duplicates into one skill. */
export class SkillCollector {
  readonly skills = new CollectedSkills();
  readonly categories = new CategoryCount();
  readonly report = new Report();
  /** Number of records merged into another one. */
  mergedCount = 0;
  /** Number of those that repeat a skill of the same source. */
  repeatedCount = 0;
  /** The first hundred records into which others were merged. */
  readonly merged = new Set<number>();
  readonly #duplicates = new Duplicates(this.skills);
  readonly #index = new IndexWriter();
  /** Number of documents in the index, including replaced ones. */
  #documents = 0;

  add(draft: Draft, source: number): void {
    const name = foldName(draft.skill.name);
    const known = this.#duplicates.find(draft, name, source);
    if (known !== undefined) {
      this.#merge(known, draft, source);
      return;
    }
    this.#count(draft.skill, true, 0);
    const record = this.skills.add(draft, name, source);
    this.#duplicates.add(record);
    this.#addDocument(record, draft.skill);
  }

  /** The search index of `records`, which are by row. Call it once. */
  finishIndex(records: Uint32Array): SearchIndexData {
    const { document, isChanged } = this.skills.columns;
    for (const record of records) if (isChanged[record] === 1) this.#addDocument(record, this.skills.skillOf(record));
    const rows = new Uint32Array(this.#documents).fill(NO_ROW);
    for (let row = 0; row < records.length; row++) rows[document[records[row] as number] as number] = row;
    const { isListed } = this.skills.columns;
    const listed = records.reduce((count, record) => count + (isListed[record] as number), 0);
    return this.#index.finish(rows, records.length, listed);
  }

  #merge(record: number, draft: Draft, source: number): void {
    const { skills, report } = this;
    const { registries, mergedRecords } = skills.columns;
    const set = registries[record] as number;
    this.#keepLeastId(record, draft, skills.registries.firstOf(set) === source);
    if ((mergedRecords[record] as number) < MAX_MERGED_RECORDS) this.#mergeFields(record, draft);
    registries[record] = skills.registries.with(set, source);
    if (this.#duplicates.merge(record, draft, source)) this.repeatedCount++;
    report.warn('duplicate_merged');
    this.mergedCount++;
    if (this.merged.size < MAX_MERGED) this.merged.add(record);
  }

  #mergeFields(record: number, draft: Draft): void {
    const { skills } = this;
    (skills.columns.mergedRecords[record] as number)++;
    const skill = skills.skillOf(record);
    const lacksCategory = skill.category === null;
    const knownTags = skill.tags.length;
    if (!mergeSkill(skill, draft.skill)) return;
    skills.columns.hasFileDigest[record] = Number(skill.digest_of === 'skill_md');
    this.#count(skill, lacksCategory, knownTags);
    skill.issues = findIssues(skill.name, skill.description, skill.compatibility);
    skill.valid = skill.issues.length === 0;
    skills.replaceSkill(record, skill);
  }

  /** The id depends only on the first source of the skill, and not on the order of its records. */
  #keepLeastId(record: number, draft: Draft, isSameSource: boolean): void {
    const { skills } = this;
    const { base, upstreamId, host } = draft;
    skills.keepIdentity(record);
    if (!isSameSource) return;
    const other = identityOf(draft.skill, upstreamId, host);
    const order = compareTexts(base, skills.idOf(record)) || compareTexts(other, skills.identityOf(record));
    if (order >= 0) return;
    skills.setId(record, base, upstreamId);
    skills.setIdentity(record, other);
  }

  #addDocument(record: number, skill: DraftSkill): void {
    this.skills.columns.document[record] = this.#index.add(skill);
    this.#documents++;
  }

  /** Tags before `firstTag` are counted already. */
  #count(skill: DraftSkill, withCategory: boolean, firstTag: number): void {
    if (withCategory) {
      skill.categories = [...new Set(skill.categories.map((category) => this.categories.addCategory(category)))];
      skill.category = skill.categories[0] ?? null;
    }
    for (let at = firstTag; at < skill.tags.length; at++) this.categories.addTag(skill.tags[at] as string);
  }
}
