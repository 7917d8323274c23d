import { setImmediate } from 'node:timers/promises';
import type { BuildInput } from './build-input.ts';

/** Copied in one go: a millisecond or two. */
const SLICE_BYTES = 4 * 1_048_576;

/**
 * Moves the packed bytes of all documents to memory that threads share, where they do not lie there yet: the documents have them from then on, and
 * no thread needs a copy of its own. A little at a time: other work goes on in between. Gives how many bytes were moved.
 */
export async function shareInput({ sources }: BuildInput): Promise<number> {
  let moved = 0;
  for (const { files, fallback } of sources) {
    for (const document of [...files.documents, ...(fallback?.documents ?? [])]) {
      if (document.packed.buffer instanceof SharedArrayBuffer) continue;
      document.packed = await share(document.packed);
      moved += document.packed.length;
    }
  }
  return moved;
}

async function share(bytes: Uint8Array): Promise<Uint8Array> {
  const target = new Uint8Array(new SharedArrayBuffer(bytes.length));
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    target.set(bytes.subarray(start, start + SLICE_BYTES), start);
    await setImmediate();
  }
  return target;
}
