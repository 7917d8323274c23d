import type { SearchIndexData } from '../index/index-data.ts';
import { IndexWriter, type SearchableSkill } from '../index/index-writer.ts';
import { mergeIndexes, NO_ROW } from '../index/merge-indexes.ts';
import { rowsOf } from '../index/number-writer.ts';
import { MAX_TEXTS } from '../index/text-interner.ts';
import { NONE } from '../merge/collected-records.ts';
import type { MergedSkills } from '../merge/merged-skills.ts';
import type { SkillTable } from '../skills/skill-table.ts';

/** Writes the search index of a snapshot: that of the snapshot before, merged with one of the changed skills. */
export class SnapshotIndex {
  readonly #writer = new IndexWriter();
  /** By record that was read: its document. */
  readonly #documents: number[] = [];

  /** Indexes a record as long as it is at hand: most records are a skill. */
  noteRecord(record: number, skill: SearchableSkill): void {
    this.#documents[record] = this.#writer.add(skill);
  }

  /** The index of the skills whose groups are in `order`; `table` has their rows. */
  finish(skills: MergedSkills, order: Uint32Array, table: SkillTable, previous?: SearchIndexData): SearchIndexData {
    const rows = rowsOf(order.length);
    const previousRows = order.map((group) => skills.previousRows[group] as number);
    const added = rows.filter((row) => previousRows[row] === NONE);
    const listed = order.reduce((count, group) => count + Number(skills.isListed(group)), 0);
    const documents = added.map((row) => {
      const group = order[row] as number;
      const known = skills.hasOneRecord(group) ? this.#documents[skills.firstRecord(group)] : undefined;
      return known ?? this.#writer.add(table.skillAt(row));
    });
    const words = this.#writer.wordCount + (previous?.words.offsets.length ?? 0);
    if (words >= MAX_TEXTS) return indexAll(table, listed);
    const index = this.#writer.finish(documents, added.filter((row) => row < listed).length);
    if (!previous || added.length === rows.length) return index;
    const rowsOfPrevious = new Uint32Array(previous.count).fill(NO_ROW);
    for (const row of rows) if (previousRows[row] !== NONE) rowsOfPrevious[previousRows[row] as number] = row;
    const skillAt = (row: number) => table.skillAt(row);
    return mergeIndexes({ index: previous, rows: rowsOfPrevious }, { index, rows: added }, listed, skillAt);
  }
}

/** Indexes all skills by row: with more words than a table holds, their order decides which are left out. */
function indexAll(table: SkillTable, listed: number): SearchIndexData {
  const writer = new IndexWriter();
  const rows = rowsOf(table.count);
  for (const row of rows) writer.add(table.skillAt(row));
  return writer.finish(rows, listed);
}
