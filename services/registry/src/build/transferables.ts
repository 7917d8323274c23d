/** The buffers of all typed arrays within a value, each once: they move to another thread without a copy. */
export function buffersOf(value: object): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  collect(value, buffers);
  return [...buffers];
}

function collect(value: object, buffers: Set<ArrayBuffer>): void {
  for (const part of Object.values(value)) {
    if (ArrayBuffer.isView(part)) buffers.add(part.buffer as ArrayBuffer);
    else if (typeof part === 'object' && part !== null) collect(part, buffers);
  }
}
