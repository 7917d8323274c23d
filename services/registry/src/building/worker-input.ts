import { setImmediate } from 'node:timers/promises';
import type { BuildInput, SourceDocument, SourceFiles } from './build-input.ts';

/** Copied in one go: a millisecond or two. */
const SLICE_BYTES = 4 * 1_048_576;

/**
 * The same input in buffers that can move to another thread, as those of `input` are served here. What is shared memory already is handed on
 * as it is. Copies a little at a time: other work goes on in between.
 */
export async function copyInput(input: BuildInput): Promise<{ input: BuildInput; buffers: ArrayBuffer[] }> {
  const copies = new Map<SourceDocument, SourceDocument>();
  for (const { files, fallback } of input.sources) {
    for (const document of [...files.documents, ...(fallback?.documents ?? [])]) {
      if (!copies.has(document)) copies.set(document, { ...document, packed: await copy(document.packed) });
    }
  }
  const withCopies = (files: SourceFiles): SourceFiles => ({
    ...files,
    documents: files.documents.map((document) => copies.get(document) ?? document),
  });
  const sources = input.sources.map((source) => ({
    ...source,
    files: withCopies(source.files),
    fallback: source.fallback && withCopies(source.fallback),
  }));
  const buffers = Array.from(copies.values(), ({ packed }) => packed.buffer);
  return { input: { ...input, sources }, buffers: buffers.filter((buffer) => buffer instanceof ArrayBuffer) };
}

async function copy(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const target = new Uint8Array(bytes.length);
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    target.set(bytes.subarray(start, start + SLICE_BYTES), start);
    await setImmediate();
  }
  return target;
}
