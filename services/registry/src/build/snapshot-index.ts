import type { SearchIndexData } from '../index/index-data.ts';
import { IndexWriter, type SearchableSkill } from '../index/index-writer.ts';
import { mergeIndexes } from '../index/merge-indexes.ts';
import { MAX_TEXTS } from '../index/text-interner.ts';
import { NO_ROW } from '../index/words/document-words.ts';
import { NONE } from '../merge/collected-records.ts';
import type { MergedSkills } from '../merge/merged-skills.ts';

/** Writes the search index of a snapshot: that of the snapshot before, merged with one of the changed skills. */
export class SnapshotIndex {
  readonly #writer = new IndexWriter();
  /** By record that was read: its document. */
  readonly #documents: number[] = [];
  #count = 0;

  /** Indexes a record as long as it is at hand: most records are a skill. */
  noteRecord(record: number, skill: SearchableSkill): void {
    this.#documents[record] = this.#add(skill);
  }

  /** The index of the skills whose groups are in `order`. */
  finish(skills: MergedSkills, order: Uint32Array, previous: SearchIndexData | undefined): SearchIndexData {
    const isKept = (row: number) => previous !== undefined && skills.previousRows[order[row] as number] !== NONE;
    const rows = order.map((_, row) => row);
    const added = previous ? rows.filter((row) => !isKept(row)) : rows;
    const listed = countListed(skills, order, rows);
    const skillAt = (row: number) => skills.draftOf(order[row] as number).skill;
    const index = this.#finishAdded(skills, order, added);
    if (!previous || added.length === rows.length) return index;
    if (previous.words.offsets.length + index.words.offsets.length > MAX_TEXTS) return indexAll(rows, skillAt, listed);
    const rowsOfPrevious = new Uint32Array(previous.count).fill(NO_ROW);
    for (let row = 0; row < rows.length; row++) {
      if (isKept(row)) rowsOfPrevious[skills.previousRows[order[row] as number] as number] = row;
    }
    return mergeIndexes({ index: previous, rows: rowsOfPrevious }, { index, rows: added }, listed, skillAt);
  }

  #finishAdded(skills: MergedSkills, order: Uint32Array, added: Uint32Array): SearchIndexData {
    const documents = added.map((row) => this.#documentOf(skills, order[row] as number));
    const rows = new Uint32Array(this.#count).fill(NO_ROW);
    for (let at = 0; at < documents.length; at++) rows[documents[at] as number] = at;
    return this.#writer.finish(rows, documents.length, countListed(skills, order, added));
  }

  #documentOf(skills: MergedSkills, group: number): number {
    const known = skills.hasOneRecord(group) ? this.#documents[skills.firstRecord(group)] : undefined;
    return known ?? this.#add(skills.draftOf(group).skill);
  }

  #add(skill: SearchableSkill): number {
    this.#count++;
    return this.#writer.add(skill);
  }
}

/** Indexes all skills: with more words than a table holds, their order decides which are left out. */
function indexAll(rows: Uint32Array, skillAt: (row: number) => SearchableSkill, listed: number): SearchIndexData {
  const writer = new IndexWriter();
  for (const row of rows) writer.add(skillAt(row));
  return writer.finish(rows, rows.length, listed);
}

function countListed(skills: MergedSkills, order: Uint32Array, rows: Uint32Array): number {
  return rows.reduce((count, row) => count + Number(skills.isListed(order[row] as number)), 0);
}
