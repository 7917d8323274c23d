/** 32 MiB: malloc returns such chunks to the system at once, and they take memory only when they are written. */
const CHUNK_BITS = 25;
const CHUNK_BYTES = 2 ** CHUNK_BITS;
const OFFSET_MASK = CHUNK_BYTES - 1;
/** The first chunks of a lane are smaller, for small registries. */
const FIRST_CHUNKS_BYTES = [2 ** 18, 2 ** 22];
/** Positions are 32-bit numbers. */
const MAX_CHUNKS = 2 ** (32 - CHUNK_BITS);

/** Chunks that are released together. */
interface Lane {
  chunks: number[];
  /** Offset of the next piece in the last chunk. */
  offset: number;
}

/** Append-only storage of byte strings, read by position. No piece spans two chunks. */
export class ByteStore {
  readonly #chunks: Buffer[] = [];
  readonly #lanes: Lane[];
  #lane: Lane;

  constructor(lanes = 1) {
    this.#lanes = Array.from({ length: lanes }, () => ({ chunks: [], offset: 0 }));
    this.#lane = this.#lanes[0] as Lane;
  }

  /** Makes room for contiguous pieces of together at most `bytes`. */
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

  /** Position of the next piece. */
  get position(): number {
    return (this.#lane.chunks.at(-1) as number) * CHUNK_BYTES + this.#lane.offset;
  }

  /** Appends `text` in UTF-8. Room must be reserved: three bytes per code unit. Returns its length in bytes. */
  write(text: string): number {
    const { chunks, offset } = this.#lane;
    const length = (this.#chunks[chunks.at(-1) as number] as Buffer).write(text, offset);
    this.#lane.offset += length;
    return length;
  }

  /** Skips reserved bytes for `put`. Returns their position. */
  skip(bytes: number): number {
    const { position } = this;
    this.#lane.offset += bytes;
    return position;
  }

  /** Overwrites the bytes at `position`. */
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

  /** Copies a piece to `target`; returns the end of the copy. */
  copy(position: number, length: number, target: Uint8Array, at: number): number {
    const offset = position & OFFSET_MASK;
    this.chunkOf(position).copy(target, at, offset, offset + length);
    return at + length;
  }

  /** Compares two pieces bytewise; a prefix comes first. */
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

  /** Frees the memory of a lane now; garbage collection would be too late for the peak. */
  release(lane: number): void {
    for (const number of this.#lanes[lane]?.chunks.splice(0) ?? []) {
      ((this.#chunks[number] as Buffer).buffer as ArrayBuffer).transfer(0);
    }
  }

  releaseAll(): void {
    for (const lane of this.#lanes.keys()) this.release(lane);
  }
}
