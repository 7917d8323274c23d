import { grow } from '../memory/arrays.ts';

const FIRST_CAPACITY = 1_024;

/** Bits of `flags`. */
export const FLAGS = {
  /** Upstream gives an id: the base of the id, unless JSON with another one follows the piece. */
  hasUpstreamId: 1,
  /** `extra.id` was added: upstream's id, which differs from the base. */
  hasAddedId: 2,
  /** `install` was derived. */
  hasDerivedInstall: 4,
  isListed: 8,
  hasRepository: 16,
} as const;

/** The usable records of all sources as numbers, by record; their texts are in a `ByteStore`. */
export class RecordColumns {
  count = 0;
  /** A hash of the bytes of the record and of what its file says about it: 106 bits. */
  key = new Float64Array(FIRST_CAPACITY);
  keyCheck = new Float64Array(FIRST_CAPACITY);
  /** Index of the source. */
  source = new Uint16Array(FIRST_CAPACITY);
  /** The served JSON of the record alone, and what follows it: see `CollectedRecords`. */
  start = new Uint32Array(FIRST_CAPACITY);
  length = new Uint32Array(FIRST_CAPACITY);
  moreLength = new Uint16Array(FIRST_CAPACITY);
  flags = new Uint8Array(FIRST_CAPACITY);
  /** Hashes for `groupRecords`; 0 if there is no such text. */
  groupKey = new Float64Array(FIRST_CAPACITY);
  groupKeyCheck = new Float64Array(FIRST_CAPACITY);
  path = new Float64Array(FIRST_CAPACITY);
  description = new Float64Array(FIRST_CAPACITY);
  upstreamId = new Float64Array(FIRST_CAPACITY);
  /** Hash of the preferred id, as in `SkillIdentities`. */
  base = new Float64Array(FIRST_CAPACITY);
  /** Hash of the served JSON, as in `SkillIdentities`. */
  fingerprint = new Float64Array(FIRST_CAPACITY);
  /** Number in `WarningSets`. */
  warnings = new Uint32Array(FIRST_CAPACITY);
  /** Number in `CategoryLists`. */
  categories = new Uint32Array(FIRST_CAPACITY);

  #columns: Column[] | undefined;
  #others: Column[] | undefined;

  /** With room for so many records, which grows when needed. */
  constructor(expected = 0) {
    if (expected > FIRST_CAPACITY) this.#resize((column) => grow(column, expected));
  }

  /** Adds a record with these values; the others are 0. */
  add(values: RecordValues): number {
    if (this.count === this.key.length) this.#resize((column) => grow(column, this.count * 2));
    for (const name in values) this[name as ColumnName][this.count] = values[name as ColumnName]!;
    return this.count++;
  }

  /** Adds a copy of a record of other columns, which are the same at each call. */
  addCopy(from: RecordArrays, record: number): number {
    const added = this.add({});
    this.#columns ??= columnsOf(this);
    this.#others ??= columnsOf(from);
    for (let at = 0; at < this.#columns.length; at++) {
      (this.#columns[at] as Column)[added] = (this.#others[at] as Column)[record]!;
    }
    return added;
  }

  /** Leaves out the room for more records. */
  trim(): void {
    this.#resize((column) => column.subarray(0, this.count));
  }

  #resize(resize: (column: Column) => Column): void {
    const columns = Object.entries(this).filter(([, value]) => ArrayBuffer.isView(value));
    Object.assign(this, Object.fromEntries(columns.map(([name, column]) => [name, resize(column as Column)])));
    this.#columns = undefined;
  }
}

type ColumnName = Exclude<keyof RecordArrays, 'count'>;

export type RecordValues = Partial<Record<ColumnName, number>>;

type Column = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** The columns without methods: what threads can pass to each other. */
export type RecordArrays = Omit<RecordColumns, 'add' | 'addCopy' | 'trim'>;

function columnsOf(columns: RecordArrays): Column[] {
  return Object.values(columns).filter((value) => ArrayBuffer.isView(value)) as Column[];
}
