/** How many keys are remembered: what comes again later than that would have been dropped before it is of use. */
const MAX_ASKED = 1_000;

/** Tells what is asked for again from what a crawler passes once. */
export class Doorkeeper {
  readonly #keys = new Set<string>();

  /** Whether it was asked for before, and not yet again since. */
  admits(key: string): boolean {
    if (this.#keys.delete(key)) return true;
    this.#keys.add(key);
    if (this.#keys.size > MAX_ASKED) {
      const [oldest] = this.#keys;
      this.#keys.delete(oldest as string);
    }
    return false;
  }

  clear(): void {
    this.#keys.clear();
  }
}
