const FIRST_CAPACITY = 1_024;

/** What is known of each record, as numbers; texts are in a `ByteStore`. */
export class RecordColumns {
  count = 0;
  idStart = new Uint32Array(FIRST_CAPACITY);
  idLength = new Uint16Array(FIRST_CAPACITY);
  /** The id that upstream gives, as a JSON string; of length 0 where it gives none. */
  upstreamStart = new Uint32Array(FIRST_CAPACITY);
  upstreamLength = new Uint16Array(FIRST_CAPACITY);
  /**
   * What tells it apart from others of its id, where records were merged; of length 0 where that is to be made of the
   * skill.
   */
  identityStart = new Uint32Array(FIRST_CAPACITY);
  identityLength = new Uint32Array(FIRST_CAPACITY);
  /** The skill without `id` and `registries`: up to the comma before `extra`, and from there on. */
  jsonStart = new Uint32Array(FIRST_CAPACITY);
  headLength = new Uint32Array(FIRST_CAPACITY);
  tailLength = new Uint32Array(FIRST_CAPACITY);
  /** How many bytes may stand at `jsonStart`. */
  jsonRoom = new Uint32Array(FIRST_CAPACITY);
  /** How many records went into it, up to the bound of `SkillCollector`. */
  mergedRecords = new Uint8Array(FIRST_CAPACITY);
  /** What `Duplicates` tells it by: hashes of its origin or text, and of its description (0 of none). */
  origin = new Float64Array(FIRST_CAPACITY);
  description = new Float64Array(FIRST_CAPACITY);
  /** A number of `RegistrySets`. */
  registries = new Uint32Array(FIRST_CAPACITY);
  /** The document of the search index. */
  document = new Uint32Array(FIRST_CAPACITY);
  /** Whether the skill is another one now than in its document. */
  isChanged = new Uint8Array(FIRST_CAPACITY);
  /** Whether the digest is that of the SKILL.md. */
  hasFileDigest = new Uint8Array(FIRST_CAPACITY);
  /** Whether `extra` has an `id` of its own. */
  hasExtraId = new Uint8Array(FIRST_CAPACITY);

  /** A new record, all zero. */
  add(): number {
    if (this.count === this.idStart.length) this.#grow();
    return this.count++;
  }

  #grow(): void {
    this.idStart = doubled(this.idStart);
    this.idLength = doubled(this.idLength);
    this.upstreamStart = doubled(this.upstreamStart);
    this.upstreamLength = doubled(this.upstreamLength);
    this.identityStart = doubled(this.identityStart);
    this.identityLength = doubled(this.identityLength);
    this.jsonStart = doubled(this.jsonStart);
    this.headLength = doubled(this.headLength);
    this.tailLength = doubled(this.tailLength);
    this.jsonRoom = doubled(this.jsonRoom);
    this.mergedRecords = doubled(this.mergedRecords);
    this.origin = doubled(this.origin);
    this.description = doubled(this.description);
    this.registries = doubled(this.registries);
    this.document = doubled(this.document);
    this.isChanged = doubled(this.isChanged);
    this.hasFileDigest = doubled(this.hasFileDigest);
    this.hasExtraId = doubled(this.hasExtraId);
  }
}

function doubled<Column extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(column: Column): Column {
  const larger = new (column.constructor as new (length: number) => Column)(column.length * 2);
  larger.set(column);
  return larger;
}
