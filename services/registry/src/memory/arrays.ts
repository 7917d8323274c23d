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
