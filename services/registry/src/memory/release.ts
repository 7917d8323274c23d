/** Smaller buffers may belong to several arrays. */
const MIN_OWN_BYTES = 65_536;
/** `unpack` leaves so many bytes of its buffer unused. */
const MAX_UNUSED_BYTES = 1;

/**
 * Frees the memory of a large array at once, which is empty afterwards: garbage collection would be too late for the
 * peak. Leaves arrays that share their memory.
 */
export function release(array: ArrayBufferView): void {
  const { buffer, byteLength } = array;
  if (!(buffer instanceof ArrayBuffer) || byteLength < MIN_OWN_BYTES) return;
  if (buffer.byteLength - byteLength <= MAX_UNUSED_BYTES) buffer.transfer(0);
}
