import { Doorkeeper } from './doorkeeper.ts';
import { createLruCache, type Kept } from './lru-cache.ts';

const MAX_KEY_LENGTH = 512;

interface Making {
  value: Promise<Kept>;
  /** Keys that were requested more than once. */
  isWanted: boolean;
}

/**
 * LRU cache of results of one snapshot: popular pages are searched and compressed once. A result is cached from its
 * second request on, so that a crawler evicts nothing. Holds 8 MiB and 1,000 results of at most 1 MiB. Concurrent
 * requests share one computation.
 */
export class ResultCache {
  readonly #kept = createLruCache<Kept>();
  readonly #making = new Map<string, Making>();
  readonly #doorkeeper = new Doorkeeper();

  /** Each key has values of one type. Returns synchronously when the value is available synchronously. */
  get<Value extends Kept>(key: string, make: () => Value | Promise<Value>): Value | Promise<Value> {
    if (key.length > MAX_KEY_LENGTH) return make();
    const known = this.#kept.get(key);
    if (known !== undefined) return known as Value;
    const making = this.#making.get(key);
    if (making !== undefined) {
      making.isWanted = true;
      return making.value as Promise<Value>;
    }
    const isWanted = this.#doorkeeper.admits(key);
    const value = make();
    if (value instanceof Promise) this.#share(key, { value, isWanted });
    else if (isWanted) this.#kept.set(key, value);
    return value;
  }

  #share(key: string, making: Making): void {
    this.#making.set(key, making);
    making.value.then(
      (value) => {
        this.#making.delete(key);
        if (making.isWanted) this.#kept.set(key, value);
      },
      () => this.#making.delete(key),
    );
  }
}
