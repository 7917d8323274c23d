import { toSharedBytes } from '../source/shared-bytes.ts';
import type { BuildInput } from './build-input.ts';

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

/** Smaller buffers may belong to several arrays. */
const MIN_OWN_BYTES = 65_536;

function toShared(array: Uint8Array): Uint8Array {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  if (array.buffer.detached) throw new Error('An array occurs twice');
  const TypedArray = array.constructor as new (buffer: SharedArrayBuffer) => Uint8Array;
  const shared = new TypedArray(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  // Garbage collection would be too late for the peak.
  if (array.byteLength >= MIN_OWN_BYTES) array.buffer.transfer(0);
  return shared;
}
