import { setImmediate } from 'node:timers/promises';

/** Copying this much takes a millisecond or two. */
const SLICE_BYTES = 4 * 1_048_576;

/** Concatenates parts in memory that threads share. Yields to the event loop between slices. */
export async function toSharedBytes(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(new SharedArrayBuffer(parts.reduce((bytes, part) => bytes + part.length, 0)));
  let at = 0;
  let copied = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      const slice = part.subarray(start, start + SLICE_BYTES);
      whole.set(slice, at);
      at += slice.length;
      copied += slice.length;
      if (copied < SLICE_BYTES) continue;
      copied = 0;
      await setImmediate();
    }
  }
  return whole;
}
