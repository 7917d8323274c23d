const FIRST_BYTES = 16 * 1024;

/** Bytes that come in pieces, which may be of one byte each: copies them, as each piece that is kept costs far more. */
export interface ByteList {
  add(piece: Uint8Array): void;
  /** All so far. */
  bytes(): Buffer;
}

export function createByteList(): ByteList {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(piece) {
      const needed = length + piece.length;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length, FIRST_BYTES));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(piece, length);
      length = needed;
    },
    bytes: () => buffer.subarray(0, length),
  };
}
