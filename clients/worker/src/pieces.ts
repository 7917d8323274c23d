/** A line without an end is passed on when it has so many characters. */
const MAX_LINE = 16_384;

/** Calls `onLine` with each line of UTF-8 text in pieces, without its end and a byte order mark. */
export function createLineSplitter(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    add(chunk: Buffer): void {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (rest.length < MAX_LINE) return;
      onLine(rest);
      rest = '';
    },
    /** Passes on a last line that has no end. */
    end(): void {
      rest += decoder.decode();
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}

/** Keeps the last `maxBytes` bytes that were added. */
export function createByteTail(maxBytes: number) {
  let kept = Buffer.alloc(0);
  return {
    add(chunk: Buffer): void {
      kept = Buffer.concat([kept, chunk.subarray(-maxBytes)]).subarray(-maxBytes);
    },
    /** As UTF-8, without a character that was cut at the beginning. */
    text: () => (kept.length === maxBytes ? kept.toString().replace(/^\uFFFD+/, '') : kept.toString()),
  };
}

const FIRST_BYTES = 16 * 1024;

/** Bytes that come in pieces, which may be of one byte each: copies them, as each piece that is kept costs far more. */
export function createByteList() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(piece: Uint8Array): void {
      const needed = length + piece.length;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length, FIRST_BYTES));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(piece, length);
      length = needed;
    },
    /** All so far. */
    bytes: () => buffer.subarray(0, length),
  };
}
