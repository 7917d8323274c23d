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
