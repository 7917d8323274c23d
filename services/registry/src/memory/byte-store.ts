/** 32 MiB: they take memory only when they are written. */
const CHUNK_BITS = 25;
const CHUNK_BYTES = 2 ** CHUNK_BITS;
const OFFSET_MASK = CHUNK_BYTES - 1;
/** The first own chunks are smaller, for small registries and small changes. */
const FIRST_CHUNKS_BYTES = [2 ** 18, 2 ** 20, 2 ** 22];
/** Positions are 32-bit numbers. */
const MAX_CHUNKS = 2 ** (32 - CHUNK_BITS);
/** Each change adds a small chunk: so many are moved together into larger ones. */
const MAX_SMALL_CHUNKS = 16;

/** The chunks of a store, in memory that threads share, by number; a chunk without pieces is missing. */
export type Chunks = readonly (Uint8Array | undefined)[];

/** A byte string in a store. */
export interface Piece {
  start: number;
  length: number;
}

/** Reads byte strings by position. */
export class PieceReader {
  protected readonly chunks: (Buffer | undefined)[];

  constructor(chunks: Chunks) {
    this.chunks = chunks.map((chunk) => chunk && Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }

  /** A view, not a copy. */
  bytesAt(start: number, length: number): Buffer {
    const offset = start & OFFSET_MASK;
    return (this.chunks[start >>> CHUNK_BITS] as Buffer).subarray(offset, offset + length);
  }
}

/** Append-only storage of byte strings. Shares the chunks of an earlier store, and writes to chunks of its own. */
export class ByteStore extends PieceReader {
  /** Numbers of the shared chunks. */
  readonly #shared: readonly number[];
  #last = -1;
  #offset = 0;
  #own = 0;

  constructor(shared: Chunks = []) {
    super(shared);
    this.#shared = [...shared.keys()].filter((at) => shared[at] !== undefined);
  }

  /** Appends a text in UTF-8, which takes at most three bytes per code unit. */
  write(text: string): Piece {
    const chunk = this.#reserve(text.length * 3);
    const start = this.#last * CHUNK_BYTES + this.#offset;
    const length = chunk.write(text, this.#offset);
    this.#offset += length;
    return { start, length };
  }

  /**
   * Moves the pieces in shared chunks that are filled to less than half, which saves memory, and in the small ones once
   * there are many, as chunks are limited. This is the cleaning of a log-structured store (Rosenblum and Ousterhout,
   * 1992). `starts` are all pieces in use, and get their new positions.
   */
  clean(starts: Uint32Array, lengthOf: (piece: number) => number): void {
    const used = new Float64Array(MAX_CHUNKS);
    for (let piece = 0; piece < starts.length; piece++) used[starts[piece]! >>> CHUNK_BITS]! += lengthOf(piece);
    const sizeOf = (at: number) => (this.chunks[at] as Buffer).length;
    const small = this.#shared.filter((at) => sizeOf(at) < CHUNK_BYTES);
    const sparse = this.#shared.filter((at) => used[at]! * 2 < sizeOf(at));
    const cleaned = new Set(small.length > MAX_SMALL_CHUNKS ? [...sparse, ...small] : sparse);
    for (let piece = 0; piece < starts.length; piece++) {
      const start = starts[piece]!;
      if (cleaned.has(start >>> CHUNK_BITS)) starts[piece] = this.#move(start, lengthOf(piece));
    }
    for (const at of cleaned) this.chunks[at] = undefined;
  }

  toChunks(): Chunks {
    return this.chunks.map((chunk) => chunk && toView(chunk));
  }

  #move(start: number, length: number): number {
    const chunk = this.#reserve(length);
    chunk.set(this.bytesAt(start, length), this.#offset);
    const moved = this.#last * CHUNK_BYTES + this.#offset;
    this.#offset += length;
    return moved;
  }

  #reserve(bytes: number): Buffer {
    const last = this.chunks[this.#last];
    if (last && this.#offset + bytes <= last.length) return last;
    const free = this.chunks.indexOf(undefined);
    this.#last = free < 0 ? this.chunks.length : free;
    if (bytes > CHUNK_BYTES || this.#last === MAX_CHUNKS) throw new RangeError('The records take too much memory');
    const size = Math.max(FIRST_CHUNKS_BYTES[this.#own++] ?? CHUNK_BYTES, bytes);
    const chunk = Buffer.from(new SharedArrayBuffer(size));
    this.chunks[this.#last] = chunk;
    this.#offset = 0;
    return chunk;
  }
}

/** Structured cloning would lose the class of a `Buffer`. */
function toView({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
