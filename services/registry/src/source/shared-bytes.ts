import { setImmediate } from 'node:timers/promises';
import type { BuildInput } from '../build/build-input.ts';

/** Copying this much takes a millisecond or two. */
const SLICE_BYTES = 4 * 1_048_576;

/** Moves the packed bytes of all documents to shared memory if needed. Returns the number of bytes moved. */
export async function shareInput({ sources }: BuildInput): Promise<number> {
  let moved = 0;
  for (const { files, fallback } of sources) {
    for (const document of [...files.documents, ...(fallback?.documents ?? [])]) {
      if (document.packed.buffer instanceof SharedArrayBuffer) continue;
      document.packed = await toSharedBytes([document.packed]);
      moved += document.packed.length;
    }
  }
  return moved;
}

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
