import { setImmediate } from 'node:timers/promises';

/** Smaller buffers may belong to several arrays. */
const MIN_OWN_BYTES = 65_536;
/** `unpack` leaves so many bytes of its buffer unused. */
const MAX_UNUSED_BYTES = 1;

/**
 * Frees the memory of a large array at once, which is empty afterwards: garbage collection would be too late for the
 * peak. Leaves arrays that share their memory.
 */
export function release(...arrays: ArrayBufferView[]): void {
  for (const { buffer, byteLength } of arrays) {
    if (!(buffer instanceof ArrayBuffer) || byteLength < MIN_OWN_BYTES) continue;
    if (buffer.byteLength - byteLength <= MAX_UNUSED_BYTES) buffer.transfer(0);
  }
}

/** Moves to a larger array, at least `size` and half as large again, and releases the old one. */
export function grow<Numbers extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  numbers: Numbers,
  size: number,
): Numbers {
  const longer = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(size, Math.ceil(numbers.length * 1.5)),
  );
  longer.set(numbers);
  release(numbers);
  return longer;
}

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
