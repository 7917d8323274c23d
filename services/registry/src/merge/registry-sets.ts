/** Numbers the distinct lists of sources of a record. The first source of a list is where the record came from. */
export class RegistrySets {
  readonly #lists: number[][] = [];
  readonly #numbers = new Map<string, number>();

  /** The list with only `source`. */
  of(source: number): number {
    return this.#numberOf([source]);
  }

  /** The list `set` with `source` appended. */
  with(set: number, source: number): number {
    const list = this.#lists[set] as number[];
    return list.includes(source) ? set : this.#numberOf([...list, source]);
  }

  firstOf(set: number): number | undefined {
    return this.#lists[set]?.[0];
  }

  /** By number: the JSON member with its leading comma. */
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
