const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_ENTRY_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 512;
/** How many keys are remembered that were asked for once. */
const MAX_ASKED = 2_000;

/** Whatever is kept says how many bytes it takes. */
export interface Kept {
  bytes: number;
}

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
export class AnswerCache {
  readonly #kept = new Map<string, Kept>();
  readonly #making = new Map<string, Making>();
  readonly #askedOnce = new Set<string>();
  #bytes = 0;

  /** A key stands for values of one type. What could be made at once is given at once. */
  get<Value extends Kept>(key: string, make: () => Value | Promise<Value>): Value | Promise<Value> {
    if (key.length > MAX_KEY_LENGTH) return make();
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known as Value;
    }
    const making = this.#making.get(key);
    if (making !== undefined) {
      making.isWanted = true;
      return making.value as Promise<Value>;
    }
    const isWanted = this.#isAskedAgain(key);
    const value = make();
    if (value instanceof Promise) this.#share(key, { value, isWanted });
    else if (isWanted) this.#keep(key, value);
    return value;
  }

  #share(key: string, making: Making): void {
    this.#making.set(key, making);
    making.value.then(
      (value) => {
        this.#making.delete(key);
        if (making.isWanted) this.#keep(key, value);
      },
      () => this.#making.delete(key),
    );
  }

  #isAskedAgain(key: string): boolean {
    if (this.#askedOnce.delete(key)) return true;
    this.#askedOnce.add(key);
    if (this.#askedOnce.size > MAX_ASKED) {
      const [oldest] = this.#askedOnce;
      this.#askedOnce.delete(oldest as string);
    }
    return false;
  }

  #keep(key: string, value: Kept): void {
    if (value.bytes > MAX_ENTRY_BYTES) return;
    this.#kept.set(key, value);
    this.#bytes += value.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= MAX_BYTES && this.#kept.size <= MAX_ENTRIES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
