import { randomInt } from 'node:crypto';
import { foldName } from '../index/words/fold.ts';
import { ByteStore, type Chunks } from '../memory/byte-store.ts';
import { hashBytes, hashId, hashText } from '../memory/cyrb53.ts';
import { HashTable } from '../memory/hash-table.ts';
import type { Draft } from '../normalise/normalise.ts';
import { identityOf } from '../skills/ids.ts';
import { type WarningCounts, WarningSets } from '../skills/report.ts';
import { isListed } from '../skills/skill.ts';
import { idOf, nameOf } from '../skills/skill-table.ts';
import { type CategoryList, CategoryLists, CategoryNames } from './category-names.ts';
import { FLAGS, type RecordArrays, RecordColumns } from './record-columns.ts';
import { hashDraft } from './record-hashes.ts';
import { parseServed, writeServed } from './served-json.ts';

/** What a build keeps of its records for the next one. */
export interface PreviousRecords {
  /** Random, so that records with colliding hashes cannot be prepared. */
  seeds: readonly [number, number];
  chunks: Chunks;
  columns: RecordArrays;
  warnings: readonly WarningCounts[];
  categories: readonly CategoryList[];
}

/** Identifies the bytes of a record and what its file says about it. */
export interface RecordKey {
  key: number;
  keyCheck: number;
}

/**
 * The usable records of all sources. A record is its served JSON as if it were a skill of its own; upstream's id, the
 * host and the unknown repository follow as JSON if the served JSON does not imply them. Records whose bytes are the
 * same as in the build before are taken over from it.
 */
export class CollectedRecords {
  readonly seeds: readonly [number, number];
  readonly store: ByteStore;
  readonly columns: RecordColumns;
  readonly categories = new CategoryNames();
  readonly lists = new CategoryLists(this.categories);
  readonly warnings = new WarningSets();
  readonly #labels: readonly string[];
  /** Of the last key. */
  #context: { object: object; source: number; seeds: [number, number] } | undefined;
  readonly #previous: PreviousRecords | undefined;
  readonly #known: HashTable | undefined;
  /** By list of categories of the build before: its number now, or -1 if its ids have changed. */
  readonly #previousLists: number[] = [];
  /** By set of warnings of the build before: its number now. */
  readonly #previousWarnings: number[] = [];

  /** `labels` are those of the sources. */
  constructor(labels: readonly string[], previous?: PreviousRecords) {
    this.seeds = previous?.seeds ?? [randomInt(2 ** 31), randomInt(2 ** 31)];
    this.store = new ByteStore(previous?.chunks);
    // Most changes add few records.
    this.columns = new RecordColumns(previous && previous.columns.count * 1.1);
    this.#labels = labels;
    this.#previous = previous;
    if (previous) this.#known = tableOf(previous.columns);
  }

  /** Ends adding records. */
  close(): void {
    this.#known?.release();
    const { length, moreLength, start, count } = this.columns;
    this.store.clean(start.subarray(0, count), (record) => length[record]! + moreLength[record]!);
  }

  get count(): number {
    return this.columns.count;
  }

  /** The key of a record. `context` is what the file says about all records of a list, and the same object for them. */
  keyOf(bytes: Uint8Array, source: number, context: object): RecordKey {
    if (this.#context?.object !== context || this.#context.source !== source) {
      const text = JSON.stringify([this.#labels[source], context]);
      const seeds = this.seeds.map((seed) => seed ^ hashText(text, seed)) as [number, number];
      this.#context = { object: context, source, seeds };
    }
    const [seed, otherSeed] = this.#context.seeds;
    return { key: hashBytes(bytes, seed), keyCheck: hashBytes(bytes, otherSeed) };
  }

  /** Adds the record with this key of the build before; false if there is none. */
  takeOver({ key, keyCheck }: RecordKey, source: number): boolean {
    const previous = this.#previous;
    const old = this.#known?.find(key, (record) => previous?.columns.keyCheck[record] === keyCheck);
    if (previous === undefined || old === undefined) return false;
    const { columns } = previous;
    const warnings = this.#warningsOf(columns.warnings[old]!, previous.warnings);
    const list = this.#listOf(columns.categories[old]!, previous.categories);
    if (list < 0) {
      const draft = this.#draftAt(columns, old);
      draft.skill.categories = [...(previous.categories[columns.categories[old]!] as CategoryList).given];
      this.add(draft, { key, keyCheck }, source, warnings);
      return true;
    }
    const record = this.columns.addCopy(columns, old);
    this.columns.categories[record] = list;
    this.columns.warnings[record] = warnings;
    this.columns.source[record] = source;
    return true;
  }

  /** Adds a record that was read. `warnings` is its number in `WarningSets`. */
  add(draft: Draft, { key, keyCheck }: RecordKey, source: number, warnings: number): void {
    const { columns, store } = this;
    const { skill, base, upstreamId } = draft;
    const list = this.lists.numberOf(skill.categories);
    skill.categories = [...(this.lists.lists[list] as CategoryList).ids];
    skill.category = skill.categories[0] ?? null;
    const { json, flags } = writeServed(draft, base, [this.#labels[source] as string]);
    const more = moreOf(draft);
    const { start, length: written } = store.write(json + more);
    const moreLength = Buffer.byteLength(more);
    const length = written - moreLength;
    const name = foldName(skill.name);
    columns.add({
      key,
      keyCheck,
      source,
      start,
      length,
      moreLength,
      flags:
        flags |
        (upstreamId === undefined ? 0 : FLAGS.hasUpstreamId) |
        (isListed(skill.kind) ? FLAGS.isListed : 0) |
        (skill.source.repo === null ? 0 : FLAGS.hasRepository),
      fingerprint: hashBytes(store.bytesAt(start, length)),
      base: hashId(base),
      warnings,
      categories: list,
      ...hashDraft(draft, name, this.seeds),
    });
  }

  draftOf(record: number): Draft {
    return this.#draftAt(this.columns, record);
  }

  /** The name for sorting. */
  nameOf(record: number): string {
    return foldName(nameOf(this.#jsonOf(record)));
  }

  /** The preferred id. */
  baseOf(record: number): string {
    return idOf(this.#jsonOf(record));
  }

  identityOf(record: number): string {
    const { skill, upstreamId, host } = this.draftOf(record);
    return identityOf(skill, upstreamId, host);
  }

  /** That of its source. */
  labelOf(record: number): string {
    return this.#labels[this.columns.source[record]!] as string;
  }

  #jsonOf(record: number): Buffer {
    const { start, length } = this.columns;
    return this.store.bytesAt(start[record]!, length[record]!);
  }

  #warningsOf(old: number, sets: readonly WarningCounts[]): number {
    this.#previousWarnings[old] ??= this.warnings.numberOf(sets[old] as WarningCounts);
    return this.#previousWarnings[old];
  }

  #listOf(old: number, lists: readonly CategoryList[]): number {
    const known = this.#previousLists[old];
    if (known !== undefined) return known;
    const { given, ids } = lists[old] as CategoryList;
    const number = this.lists.numberOf(given);
    const isSame = this.lists.lists[number]?.ids.join('\n') === ids.join('\n');
    this.#previousLists[old] = isSame ? number : -1;
    return this.#previousLists[old]!;
  }

  #draftAt(columns: RecordArrays, record: number): Draft {
    const start = columns.start[record]!;
    const length = columns.length[record]!;
    const flags = columns.flags[record]!;
    const moreLength = columns.moreLength[record]!;
    const { skill, id } = parseServed(this.store.bytesAt(start, length).toString(), flags);
    const more = moreLength === 0 ? {} : JSON.parse(this.store.bytesAt(start + length, moreLength).toString());
    const upstreamId = (flags & FLAGS.hasUpstreamId) === 0 ? undefined : (more.upstreamId ?? id);
    return { skill, base: id, upstreamId, host: more.host, unknownRepository: more.unknownRepository };
  }
}

/** What the served JSON of a record does not imply. */
function moreOf({ base, upstreamId, host, unknownRepository }: Draft): string {
  const more = { upstreamId: upstreamId === base ? undefined : upstreamId, host, unknownRepository };
  return Object.values(more).every((value) => value === undefined) ? '' : JSON.stringify(more);
}

function tableOf({ key, count }: RecordArrays): HashTable {
  const table = new HashTable(count);
  for (let record = 0; record < count; record++) table.add(key[record]!, record);
  return table;
}
