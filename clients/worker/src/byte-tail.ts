/** Keeps the last bytes of what is added to it. */
export class ByteTail {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(-this.#maxBytes)]).subarray(-this.#maxBytes);
  }

  /** As UTF-8, without the rest of a character that was cut. */
  text(): string {
    const isFull = this.#kept.length === this.#maxBytes;
    return isFull ? this.#kept.toString().replace(/^\uFFFD+/, '') : this.#kept.toString();
  }
}
