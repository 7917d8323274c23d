/** Repairs of a record, and `incomplete`: a source sends fewer records than it announces. The README has each code. */
export const WARNING_CODES = [
  'id_missing',
  'id_doubled',
  'name_missing',
  'description_missing',
  'category_missing',
  'tags_missing',
  'author_from_repository',
  'text_cut',
  'tag_unusable',
  'field_unusable',
  'path_unsafe',
  'url_unsafe',
  'key_unsafe',
  'extra_cut',
  'digest_unusable',
  'duplicate_merged',
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
