/** What is made of each owner when it is asked for first, and given to all who ask then, for as long as the owner is kept. */
export class WeakMemo<Owner extends object, Value> {
  readonly #make: (owner: Owner) => Promise<Value>;
  readonly #made = new WeakMap<Owner, Promise<Value>>();

  constructor(make: (owner: Owner) => Promise<Value>) {
    this.#make = make;
  }

  /** What could not be made is made anew for the next who asks. */
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
