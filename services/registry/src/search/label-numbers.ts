/** More spellings get no number; each of them has to be looked at anew wherever it comes. */
const MAX_LABELS = 2 ** 16;
/** Longer ones get no number: hardly any comes twice. */
const MAX_LABEL_UNITS = 128;

/** Numbers the short texts that many skills share (authors, repositories, tags…) as they are written, from 0 on. */
export class LabelNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a text; -1 where it has none. */
  of(text: string): number {
    return this.#numbers.get(text) ?? this.#add(text);
  }

  #add(text: string): number {
    const number = this.#numbers.size;
    if (number === MAX_LABELS || text.length > MAX_LABEL_UNITS) return -1;
    this.#numbers.set(text, number);
    return number;
  }
}
