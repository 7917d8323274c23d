import { LRUCache } from 'lru-cache';

/** Every kept value says how many bytes it takes. */
export interface Kept {
  bytes: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_ENTRY_BYTES = 1024 * 1024;

/** Holds 8 MiB and 1,000 values of at most 1 MiB; drops the least recently used first. */
export function createLruCache<Value extends Kept>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    // A size must be above 0.
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  });
}
