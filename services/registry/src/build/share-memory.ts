import { release } from '../memory/arrays.ts';
import { toSharedBytes } from '../memory/shared-bytes.ts';
import type { BuildInput } from './built-snapshot.ts';

/** Moves the packed bytes of all documents to shared memory if needed. */
export async function shareInput({ sources }: BuildInput): Promise<void> {
  for (const { files, fallback } of sources) {
    for (const document of [...files.documents, ...(fallback?.documents ?? [])]) {
      if (document.packed.buffer instanceof SharedArrayBuffer) continue;
      document.packed = await toSharedBytes([document.packed]);
    }
  }
}

/**
 * Moves all typed arrays within a value to shared memory: the main thread serves them while the next build reads them.
 */
export function shareArrays(value: object): void {
  for (const [name, part] of Object.entries(value)) {
    if (ArrayBuffer.isView(part)) Object.assign(value, { [name]: toShared(part as Uint8Array) });
    else if (typeof part === 'object' && part !== null) shareArrays(part);
  }
}

function toShared(array: Uint8Array): Uint8Array {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const TypedArray = array.constructor as new (buffer: SharedArrayBuffer) => Uint8Array;
  const shared = new TypedArray(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  release(new Uint8Array(array.buffer));
  return shared;
}
