import { LRUCache } from 'lru-cache';

/** Every value states its size in bytes. */
export interface Kept {
  bytes: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_ENTRY_BYTES = 1024 * 1024;

/** LRU cache of 8 MiB and 1,000 values of at most 1 MiB each. */
export function createLruCache<Value extends Kept>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    // lru-cache requires a size above 0.
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  });
}
