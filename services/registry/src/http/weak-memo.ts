/** Memoizes one value per owner. Concurrent calls share one computation; the value lives as long as its owner. */
export class WeakMemo<Owner extends object, Value> {
  readonly #make: (owner: Owner) => Promise<Value>;
  readonly #made = new WeakMap<Owner, Promise<Value>>();

  constructor(make: (owner: Owner) => Promise<Value>) {
    this.#make = make;
  }

  /** A failure is not memoized. */
  of(owner: Owner): Promise<Value> {
    let made = this.#made.get(owner);
    if (made === undefined) {
      made = this.#make(owner);
      this.#made.set(owner, made);
      made.catch(() => this.#made.delete(owner));
    }
    return made;
  }
}
