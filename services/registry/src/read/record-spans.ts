import { grow } from '../memory/arrays.ts';
import { UpstreamError } from '../source/errors.ts';

const MAX_RECORD_BYTES = 1_048_576;
const MAX_RECORDS = 2_000_000;
const FIELDS = 5;
const FIRST_CAPACITY = 64;

export const BEYOND_ASCII = 1;
export const ESCAPES = 2;

/** The positions of the elements of a list or members of an object in a document, as five numbers each. */
export class RecordSpans {
  count = 0;
  readonly isKeyed: boolean;
  #numbers = new Uint32Array(FIRST_CAPACITY * FIELDS);

  constructor(isKeyed: boolean) {
    this.isKeyed = isKeyed;
  }

  /** @throws UpstreamError above 2,000,000 records */
  add(keyStart: number, keyEnd: number, start: number, end: number, flags: number): void {
    const at = this.count++ * FIELDS;
    if (this.count > MAX_RECORDS)
      throw new UpstreamError('unknown_shape', `The file contains more than ${MAX_RECORDS} records`);
    if (at === this.#numbers.length) this.#numbers = grow(this.#numbers, at * 2);
    const numbers = this.#numbers;
    numbers[at] = keyStart;
    numbers[at + 1] = keyEnd;
    numbers[at + 2] = start;
    numbers[at + 3] = end;
    numbers[at + 4] = flags;
  }

  /** Start of the key with its quotes; 0 in a list. */
  keyStart(index: number): number {
    return this.#numbers[index * FIELDS]!;
  }

  keyEnd(index: number): number {
    return this.#numbers[index * FIELDS + 1]!;
  }

  start(index: number): number {
    return this.#numbers[index * FIELDS + 2]!;
  }

  end(index: number): number {
    return this.#numbers[index * FIELDS + 3]!;
  }

  /** `BEYOND_ASCII` and `ESCAPES` of the value. */
  flags(index: number): number {
    return this.#numbers[index * FIELDS + 4]!;
  }
}

/** Whether a record is too large to be parsed. */
export function isTooLarge(spans: RecordSpans, span: number): boolean {
  const start = spans.isKeyed ? spans.keyStart(span) : spans.start(span);
  return spans.end(span) - start > MAX_RECORD_BYTES;
}
