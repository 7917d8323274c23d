import type { Draft } from '../normalise/normalise.ts';
import { findIssues } from '../normalise/validity.ts';
import { compareTexts } from '../skills/text.ts';
import type { CollectedRecords } from './collected-records.ts';
import type { RecordGroups } from './group-records.ts';
import { mergeDraft } from './merge-drafts.ts';
import { FLAGS } from './record-columns.ts';

/** Of further records of a skill, only the sources and the number count. */
const MAX_MERGED_RECORDS = 100;

/** The skills of a snapshot by group of records. */
export class MergedSkills {
  readonly records: CollectedRecords;
  readonly groups: RecordGroups;
  /** By group: the record that its id is from. */
  readonly #bases: Uint32Array;
  readonly #renamed = new Map<number, string>();

  constructor(records: CollectedRecords, groups: RecordGroups) {
    this.records = records;
    this.groups = groups;
    this.#bases = Uint32Array.from({ length: groups.count }, (_, group) => this.#findBase(group));
  }

  get count(): number {
    return this.groups.count;
  }

  recordsOf(group: number): Uint32Array {
    const { offsets, records } = this.groups;
    return records.subarray(offsets[group], offsets[group + 1]);
  }

  firstRecord(group: number): number {
    return this.groups.records[this.groups.offsets[group]!]!;
  }

  hasOneRecord(group: number): boolean {
    const { offsets } = this.groups;
    return offsets[group + 1]! - offsets[group]! === 1;
  }

  isListed(group: number): boolean {
    return (this.records.columns.flags[this.firstRecord(group)]! & FLAGS.isListed) !== 0;
  }

  baseHash(group: number): number {
    return this.records.columns.base[this.#bases[group]!]!;
  }

  /** The preferred id. */
  baseOf(group: number): string {
    return this.records.baseOf(this.#bases[group]!);
  }

  identityOf(group: number): string {
    return this.records.identityOf(this.#bases[group]!);
  }

  rename(group: number, id: string): void {
    this.#renamed.set(group, id);
  }

  idOf(group: number): string {
    return this.#renamed.get(group) ?? this.baseOf(group);
  }

  isRenamed(group: number): boolean {
    return this.#renamed.has(group);
  }

  registriesOf(group: number): string[] {
    return [...new Set(Array.from(this.recordsOf(group), (record) => this.records.labelOf(record)))];
  }

  /** The first record with what later ones add. The id and upstream's id are those of the base. */
  draftOf(group: number): Draft {
    const [first, ...others] = this.recordsOf(group).subarray(0, MAX_MERGED_RECORDS + 1);
    const draft = this.records.draftOf(first!);
    const isChanged = others.map((record) => mergeDraft(draft.skill, this.records.draftOf(record).skill)).some(Boolean);
    if (isChanged) {
      draft.skill.issues = findIssues(draft.skill.name, draft.skill.description, draft.skill.compatibility);
      draft.skill.valid = draft.skill.issues.length === 0;
    }
    const baseRecord = this.#bases[group]!;
    const { base, upstreamId } = baseRecord === first ? draft : this.records.draftOf(baseRecord);
    return { ...draft, base, upstreamId };
  }

  /**
   * The id depends only on the first source of the skill, and not on the order of its records. A record without a path
   * may belong to several skills, and does not decide on the id of the one that has it.
   */
  #findBase(group: number): number {
    const { source } = this.records.columns;
    const [first, ...others] = this.recordsOf(group);
    const same = others.filter((record) => source[record] === source[first!]);
    return same.reduce((least, record) => (this.#compareIds(record, least) < 0 ? record : least), first!);
  }

  #compareIds(left: number, right: number): number {
    const { records } = this;
    const { path } = records.columns;
    return (
      Number(path[left] === 0) - Number(path[right] === 0) ||
      compareTexts(records.baseOf(left), records.baseOf(right)) ||
      compareTexts(records.identityOf(left), records.identityOf(right))
    );
  }
}
