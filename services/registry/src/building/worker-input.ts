import type { BuildInput } from './build-input.ts';
import { toSharedBytes } from './shared-bytes.ts';

/** Moves the packed bytes of all documents to shared memory, if needed. Returns the bytes moved. */
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
