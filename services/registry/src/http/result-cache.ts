import { Doorkeeper } from './doorkeeper.ts';
import { createLruCache, type Kept } from './lru-cache.ts';

const MAX_KEY_LENGTH = 512;

interface Making {
  value: Promise<Kept>;
  /** Asked for more than once. */
  isWanted: boolean;
}

/**
 * Answers of one snapshot and what they are made of, the least recently used dropped first: the pages that everyone asks for are searched
 * and compressed once. What is asked for the first time is not kept, so that a crawler pushes nothing out. It holds 8 MiB and 1,000
 * answers of at most 1 MiB. Requests that come while an answer is made share it.
 */
export class ResultCache {
  readonly #kept = createLruCache<Kept>();
  readonly #making = new Map<string, Making>();
  readonly #doorkeeper = new Doorkeeper();

  /** A key stands for values of one type. What could be made at once is given at once. */
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
