/** Number of remembered keys, as many as the cache has entries. */
const MAX_KEYS = 1_000;

/**
 * Admits a key to a cache on its second request, so that a crawler evicts nothing. After the doorkeeper of TinyLFU
 * (Einziger, Friedman and Manes, 2017), with an exact set of keys in place of a Bloom filter.
 */
export class Doorkeeper {
  readonly #keys = new Set<string>();

  /** Whether the key was added before; if it was, it is removed. */
  admits(key: string): boolean {
    if (this.#keys.delete(key)) return true;
    this.#keys.add(key);
    if (this.#keys.size > MAX_KEYS) {
      const [oldest] = this.#keys;
      this.#keys.delete(oldest as string);
    }
    return false;
  }

  clear(): void {
    this.#keys.clear();
  }
}
