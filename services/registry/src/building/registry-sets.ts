/**
 * Which sources list a record: few different lists, kept once and named by a number. The first of a list is where the
 * record came from first.
 */
export class RegistrySets {
  readonly #lists: number[][] = [];
  readonly #numbers = new Map<string, number>();
  /** By source: as it is asked for each record. */
  readonly #single: number[] = [];

  /** The list of only `source`. */
  of(source: number): number {
    this.#single[source] ??= this.#numberOf([source]);
    return this.#single[source];
  }

  /** The list `set` and `source`, in the order of sources. */
  with(set: number, source: number): number {
    const list = this.#lists[set] as number[];
    return list.includes(source) ? set : this.#numberOf([...list, source]);
  }

  firstOf(set: number): number | undefined {
    return this.#lists[set]?.[0];
  }

  /** By number: the member of the served JSON, with the comma before it. */
  toJson(labels: readonly string[]): Uint8Array[] {
    return this.#lists.map((list) => {
      const names = [...new Set(list.map((source) => labels[source]))];
      return Buffer.from(`,"registries":${JSON.stringify(names)}`);
    });
  }

  #numberOf(list: number[]): number {
    const key = list.join();
    const number = this.#numbers.get(key) ?? this.#lists.push(list) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
