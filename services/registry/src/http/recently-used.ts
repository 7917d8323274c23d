/** Whatever is kept says how many bytes it takes. */
export interface Kept {
  bytes: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_ENTRY_BYTES = 1024 * 1024;

/** 8 MiB and 1,000 values of at most 1 MiB, the least recently used dropped first. */
export class RecentlyUsed<Value extends Kept> {
  readonly #values = new Map<string, Value>();
  #bytes = 0;

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.#delete(key);
    if (value.bytes > MAX_ENTRY_BYTES) return;
    this.#values.set(key, value);
    this.#bytes += value.bytes;
    while (this.#bytes > MAX_BYTES || this.#values.size > MAX_ENTRIES) {
      const [oldest] = this.#values.keys();
      this.#delete(oldest as string);
    }
  }

  clear(): void {
    this.#values.clear();
    this.#bytes = 0;
  }

  #delete(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}
