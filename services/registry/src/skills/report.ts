/** Repairs of a record, and `incomplete`. */
export const WARNING_CODES = [
  // The id is made from repository and name; the name is the last part of the id.
  'id_missing',
  // A digest is appended to the id, which another skill has, too.
  'id_doubled',
  'name_missing',
  'description_missing',
  'category_missing',
  'tags_missing',
  'author_from_repository',
  'text_cut',
  // A tag without a letter, digit or emoji, or beyond a hundred, is left out.
  'tag_unusable',
  // Moved to `extra`: a wrong type, or too long where a part means something else.
  'field_unusable',
  // Moved to `extra`: a path that leaves its folder, a URL other than http and https.
  'path_unsafe',
  'url_unsafe',
  // Left out: keys like `__proto__`.
  'key_unsafe',
  'extra_cut',
  // Moved to `extra`: not a SHA-256.
  'digest_unusable',
  // The record is merged into another one.
  'duplicate_merged',
  // The source sends fewer records than it announces.
  'incomplete',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export const REJECTION_CODES = ['not_an_object', 'no_name_and_id', 'record_too_large'] as const;

export type RejectionCode = (typeof REJECTION_CODES)[number];

/** An unusable record; `index` counts from 0 in the order of the source. */
export interface Rejection {
  index: number;
  id?: string;
  /** As in `/api/registry/status`; set when the whole source has been read. */
  source?: string;
  code: RejectionCode;
  message: string;
}

/** How often each warning occurred. */
export type WarningCounts = readonly (readonly [WarningCode, number])[];

/** The findings about one record. */
export class RecordReport implements Pick<Report, 'warn' | 'reject'> {
  readonly #counts = new Map<WarningCode, number>();
  rejection: Rejection | undefined;

  get warnings(): WarningCounts {
    return [...this.#counts];
  }

  warn(code: WarningCode, count = 1): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + count);
  }

  reject(rejection: Rejection): void {
    this.rejection = rejection;
  }
}

const MAX_REJECTIONS = 100;

/** Counts rejected records and repairs. */
export class Report {
  /** The first hundred. */
  readonly rejected: Rejection[] = [];
  rejectedCount = 0;
  readonly #warnings = zeroes(WARNING_CODES);
  readonly #rejections = zeroes(REJECTION_CODES);

  reject(rejection: Rejection): void {
    this.rejectedCount++;
    this.#rejections[rejection.code]++;
    if (this.rejected.length < MAX_REJECTIONS) this.rejected.push(rejection);
  }

  warn(code: WarningCode, count = 1): void {
    this.#warnings[code] += count;
  }

  /** The codes that occurred, in the order of `WARNING_CODES`. */
  warnings(): { code: WarningCode; count: number }[] {
    return occurred(WARNING_CODES, this.#warnings);
  }

  /** The codes that occurred, in the order of `REJECTION_CODES`. */
  rejections(): { code: RejectionCode; count: number }[] {
    return occurred(REJECTION_CODES, this.#rejections);
  }
}

function zeroes<Code extends string>(codes: readonly Code[]): Record<Code, number> {
  return Object.fromEntries(codes.map((code) => [code, 0])) as Record<Code, number>;
}

function occurred<Code extends string>(codes: readonly Code[], counts: Record<Code, number>) {
  return codes.map((code) => ({ code, count: counts[code] })).filter(({ count }) => count > 0);
}

/** Numbers the distinct sets of warnings about a record: few sets occur. */
export class WarningSets {
  readonly sets: WarningCounts[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(set: WarningCounts): number {
    const key = set.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.sets.length);
    return this.sets.push(set) - 1;
  }

  /** Adds the warnings of all records to a report. `numbers` has the set of each record. */
  count(numbers: Uint32Array, records: number, report: Report): void {
    for (let record = 0; record < records; record++) {
      for (const [code, count] of this.sets[numbers[record]!] as WarningCounts) report.warn(code, count);
    }
  }
}
