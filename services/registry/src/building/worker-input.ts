import type { BuildInput } from './build-input.ts';
import { toSharedBytes } from './shared-bytes.ts';

/**
 * Moves the packed bytes of all documents to memory that threads share, where they do not lie there yet: the documents
 * have them from then on, and no thread needs a copy of its own. Gives how many bytes were moved.
 */
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
