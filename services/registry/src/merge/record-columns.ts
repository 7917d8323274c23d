import { grow } from '../index/text-interner.ts';

const FIRST_CAPACITY = 1_024;

/** The records as numbers, by record; their texts are in a `ByteStore`. */
export class RecordColumns {
  count = 0;
  idStart = new Uint32Array(FIRST_CAPACITY);
  idLength = new Uint16Array(FIRST_CAPACITY);
  /** The id from upstream as a JSON string; length 0 if there is none. */
  upstreamStart = new Uint32Array(FIRST_CAPACITY);
  upstreamLength = new Uint16Array(FIRST_CAPACITY);
  /** See `identityOf`; length 0 if it can still be derived from the skill. */
  identityStart = new Uint32Array(FIRST_CAPACITY);
  identityLength = new Uint32Array(FIRST_CAPACITY);
  /** The JSON of the skill without `id` and `registries`. The tail begins with the comma before `extra`. */
  jsonStart = new Uint32Array(FIRST_CAPACITY);
  headLength = new Uint32Array(FIRST_CAPACITY);
  tailLength = new Uint32Array(FIRST_CAPACITY);
  /** Bytes available at `jsonStart`. */
  jsonRoom = new Uint32Array(FIRST_CAPACITY);
  /** Number of records merged into this one, up to the limit of `SkillCollector`. */
  mergedRecords = new Uint8Array(FIRST_CAPACITY);
  /** For `Duplicates`: hashes of the origin or text, and of the description (0 if it is empty). */
  origin = new Float64Array(FIRST_CAPACITY);
  description = new Float64Array(FIRST_CAPACITY);
  /** A number of `RegistrySets`. */
  registries = new Uint32Array(FIRST_CAPACITY);
  /** The document in the search index. */
  document = new Uint32Array(FIRST_CAPACITY);
  /** Whether the skill has changed since its document was written. */
  isChanged = new Uint8Array(FIRST_CAPACITY);
  /** Whether the digest is that of the SKILL.md. */
  hasFileDigest = new Uint8Array(FIRST_CAPACITY);
  /** Whether skills of its kind are listed. */
  isListed = new Uint8Array(FIRST_CAPACITY);
  /** Whether `extra` has its own `id`. */
  hasExtraId = new Uint8Array(FIRST_CAPACITY);

  /** Adds a record with all values 0. */
  add(): number {
    if (this.count === this.idStart.length) this.#grow();
    return this.count++;
  }

  #grow(): void {
    const columns = Object.entries(this).filter(([, value]) => ArrayBuffer.isView(value));
    Object.assign(this, Object.fromEntries(columns.map(([name, column]) => [name, grow(column, this.count * 2)])));
  }
}
