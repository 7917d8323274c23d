/** Numbers labels that many skills share (authors, repositories, tags…), so that the words of each are read once. */
export class LabelNumbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
