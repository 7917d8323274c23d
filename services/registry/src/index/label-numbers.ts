const MAX_LABELS = 2 ** 16;
/** Longer labels rarely occur twice. */
const MAX_LABEL_UNITS = 128;

/** Numbers labels that many skills share (authors, repositories, tags…), so that each spelling is processed once. */
export class LabelNumbers {
  readonly #numbers = new Map<string, number>();

  /** -1 for labels that are too long or too many. */
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
