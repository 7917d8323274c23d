/**
 * As large as malloc gives back to the system at once (32 MiB): a chunk comes zeroed and takes memory only as it is
 * filled.
 */
const CHUNK_BITS = 25;
const CHUNK_BYTES = 2 ** CHUNK_BITS;
const OFFSET_MASK = CHUNK_BYTES - 1;
/** Few records need little: the first chunks of a lane are smaller. */
const FIRST_CHUNKS_BYTES = [2 ** 18, 2 ** 22];
/** Positions are 32-bit numbers. */
const MAX_CHUNKS = 2 ** (32 - CHUNK_BITS);

/** Chunks that are released together. */
interface Lane {
  /** Their numbers. */
  chunks: number[];
  /** Where the next piece goes in the last of them. */
  offset: number;
}

/** Bytes that are written one piece after another in some lane, and read by position. No piece lies in two chunks. */
export class ByteStore {
  readonly #chunks: Buffer[] = [];
  readonly #lanes: Lane[];
  #lane: Lane;

  constructor(lanes = 1) {
    this.#lanes = Array.from({ length: lanes }, () => ({ chunks: [], offset: 0 }));
    this.#lane = this.#lanes[0] as Lane;
  }

  /** Makes room for pieces of together `bytes` at most, which then lie one after another. */
  reserve(bytes: number, lane = 0): void {
    this.#lane = this.#lanes[lane] as Lane;
    const { chunks, offset } = this.#lane;
    if (chunks.length > 0 && offset + bytes <= (this.#chunks[chunks.at(-1) as number] as Buffer).length) return;
    if (bytes > CHUNK_BYTES || this.#chunks.length === MAX_CHUNKS)
      throw new RangeError('The records take too much memory');
    const size = FIRST_CHUNKS_BYTES[chunks.length] ?? CHUNK_BYTES;
    chunks.push(this.#chunks.push(Buffer.from(new ArrayBuffer(Math.max(size, bytes)))) - 1);
    this.#lane.offset = 0;
  }

  /** Where the next piece goes. */
  get position(): number {
    return (this.#lane.chunks.at(-1) as number) * CHUNK_BYTES + this.#lane.offset;
  }

  /** Appends `text` in UTF-8, for which room is reserved (three bytes a code unit). Returns its length in bytes. */
  write(text: string): number {
    const { chunks, offset } = this.#lane;
    const length = (this.#chunks[chunks.at(-1) as number] as Buffer).write(text, offset);
    this.#lane.offset += length;
    return length;
  }

  /** Leaves out `bytes` that are reserved, for `put`. Returns where they begin. */
  skip(bytes: number): number {
    const { position } = this;
    this.#lane.offset += bytes;
    return position;
  }

  /** Writes over what is at `position`, where there is to be room. */
  put(position: number, bytes: Uint8Array): void {
    this.chunkOf(position).set(bytes, position & OFFSET_MASK);
  }

  chunkOf(position: number): Buffer {
    return this.#chunks[position >>> CHUNK_BITS] as Buffer;
  }

  offsetOf(position: number): number {
    return position & OFFSET_MASK;
  }

  text(position: number, length: number): string {
    const offset = position & OFFSET_MASK;
    return this.chunkOf(position).toString('utf8', offset, offset + length);
  }

  /** Copies a piece; returns where the next one goes in `target`. */
  copy(position: number, length: number, target: Uint8Array, at: number): number {
    const offset = position & OFFSET_MASK;
    this.chunkOf(position).copy(target, at, offset, offset + length);
    return at + length;
  }

  /** As code units of ASCII compare; of two where one begins with the other the shorter comes first. */
  compare(left: number, leftLength: number, right: number, rightLength: number): number {
    const [leftChunk, rightChunk] = [this.chunkOf(left), this.chunkOf(right)];
    const [leftAt, rightAt] = [left & OFFSET_MASK, right & OFFSET_MASK];
    const common = Math.min(leftLength, rightLength);
    for (let at = 0; at < common; at++) {
      const difference = (leftChunk[leftAt + at] as number) - (rightChunk[rightAt + at] as number);
      if (difference !== 0) return difference;
    }
    return leftLength - rightLength;
  }

  /** Gives the memory of a lane back now: the collector would do it too late, as the peak is soon to come. */
  release(lane: number): void {
    for (const number of this.#lanes[lane]?.chunks.splice(0) ?? []) {
      ((this.#chunks[number] as Buffer).buffer as ArrayBuffer).transfer(0);
    }
  }

  releaseAll(): void {
    for (const lane of this.#lanes.keys()) this.release(lane);
  }
}
