/** One upstream record, read field by field; what nobody took is left over, so that nothing of the source is lost. */
export class RecordFields {
  readonly #left: Map<string, unknown>;
  readonly #used = new Set<string>();
  readonly #nested = new Map<string, RecordFields>();

  constructor(record: object) {
    this.#left = new Map(Object.entries(record));
  }

  /**
   * The first of `names` that `parse` can use. A text, number or boolean that was used is not left over; an object or list is,
   * for only a part of it was used.
   */
  take<Value>(names: readonly string[], parse: (value: unknown) => Value | undefined): Value | undefined {
    for (const name of names) {
      const value = this.#left.get(name);
      const parsed = isBlank(value) ? undefined : parse(value);
      if (parsed === undefined) continue;
      this.#used.add(name);
      if (typeof value !== 'object') this.#left.delete(name);
      return parsed;
    }
    return undefined;
  }

  /** Like `take` for a list, of which `parse` uses everything. */
  takeList<Value>(names: readonly string[], parse: (value: unknown) => Value | undefined): Value | undefined {
    const name = names.find((candidate) => !isBlank(this.#left.get(candidate)));
    const parsed = name === undefined ? undefined : parse(this.#left.get(name));
    if (name !== undefined && parsed !== undefined) this.#left.delete(name);
    return parsed;
  }

  /** The fields of an object within; what is left of it stays under its name. */
  nested(name: string): RecordFields | undefined {
    const value = this.#left.get(name);
    if (!isObject(value)) return undefined;
    const fields = new RecordFields(value);
    this.#left.delete(name);
    this.#nested.set(name, fields);
    return fields;
  }

  /** Whether one of `names` holds something that nobody could use. */
  holds(names: readonly string[]): boolean {
    return names.some((name) => !this.#used.has(name) && !isBlank(this.#left.get(name)));
  }

  /** What nobody took, blanks aside. */
  leftovers(): [string, unknown][] {
    const left = [...this.#left].filter(([, value]) => !isBlank(value));
    for (const [name, fields] of this.#nested) {
      const within = fields.leftovers();
      if (within.length > 0) left.push([name, toObject(within)]);
    }
    return left;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of its own properties, `__proto__` among them: assignment would set the prototype. */
export function toObject(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
