/** Keeps the last bytes that were added. */
export class ByteTail {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(-this.#maxBytes)]).subarray(-this.#maxBytes);
  }

  /** As UTF-8, without a character that was cut at the beginning. */
  text(): string {
    const isFull = this.#kept.length === this.#maxBytes;
    return isFull ? this.#kept.toString().replace(/^\uFFFD+/, '') : this.#kept.toString();
  }
}
