/** What was mended in a record, one code a kind (documented in the README and at `/api/registry/status`). */
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
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export const REJECTION_CODES = ['not_an_object', 'no_name_and_id'] as const;

/** A record that cannot be used at all; `index` counts from 0 in the order of the file. */
export interface Rejection {
  index: number;
  id?: string;
  code: (typeof REJECTION_CODES)[number];
  message: string;
}

const MAX_REJECTIONS = 100;

/** Collects what was rejected and mended while one registry file is read. */
export class Report {
  /** The first hundred; `rejectedCount` has them all. */
  readonly rejected: Rejection[] = [];
  rejectedCount = 0;
  readonly #warnings = new Map<WarningCode, number>();

  reject(rejection: Rejection): void {
    this.rejectedCount++;
    if (this.rejected.length < MAX_REJECTIONS) this.rejected.push(rejection);
  }

  warn(code: WarningCode, count = 1): void {
    this.#warnings.set(code, (this.#warnings.get(code) ?? 0) + count);
  }

  /** In the order of `WARNING_CODES`, those that occurred. */
  warnings(): { code: WarningCode; count: number }[] {
    return WARNING_CODES.filter((code) => this.#warnings.has(code)).map((code) => ({
      code,
      count: this.#warnings.get(code) ?? 0,
    }));
  }
}
