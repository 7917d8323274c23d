import { isObject } from '@agent-fleet/shared/contract/json-object';
import type { Report } from '../skills/report.ts';
import { cleanText } from '../skills/text.ts';
import { bitsOf, type Field, SLOT_COUNT, slotOf } from './field-names.ts';

/** Notes about one record while its fields are read. */
export class RecordNotes {
  readonly report: Pick<Report, 'warn' | 'reject'>;
  /** See `RawRecord`. */
  readonly isPlain: boolean;
  isTextCut = false;
  isFieldUnusable = false;

  constructor(report: Pick<Report, 'warn' | 'reject'>, isPlain: boolean) {
    this.report = report;
    this.isPlain = isPlain;
  }

  /** Counts the record once per code. */
  close(): void {
    if (this.isTextCut) this.report.warn('text_cut');
    if (this.isFieldUnusable) this.report.warn('field_unusable');
  }
}

/** Undefined when the value cannot be used. */
export type Parse<Value> = (value: unknown, notes: RecordNotes) => Value | undefined;

/** Whether the parsed value holds all information of the original, which then need not be kept in `extra`. */
type IsComplete<Value> = (value: unknown, parsed: Value) => boolean;

/** One upstream record, read field by field. Unused fields remain, so that no information is lost. */
export class RecordFields {
  readonly notes: RecordNotes;
  /** The fields under `metadata`, which are read as if they were in the record. */
  metadata: RecordFields | undefined;
  /** Objects with nothing but counts and dates, at the top and under `metadata`. */
  stats: RecordFields[] = [];
  /** Whether its `url` is that of a repository. */
  isOfGit = false;
  readonly #record: Record<string, unknown>;
  /** Values by slot that are neither blank nor used. */
  readonly #values = new Array<unknown>(SLOT_COUNT);
  /** The bits of all fields with a value, also of used ones. */
  #bits = 0;
  /** Number of fields that are neither blank nor used. */
  #left = 0;
  #nested: Map<number, RecordFields> | undefined;

  constructor(record: Record<string, unknown>, notes: RecordNotes) {
    this.notes = notes;
    this.#record = record;
    for (const name in record) {
      const value = record[name];
      if (isBlank(value)) continue;
      this.#left++;
      const slot = slotOf(name);
      if (slot === undefined) continue;
      this.#values[slot] = value;
      this.#bits |= bitsOf(slot);
    }
  }

  /** Whether a field has no value. May be false for one whose values are used. */
  lacks({ bit }: Field): boolean {
    return (this.#bits & bit) === 0;
  }

  /** Undefined if it is blank or used. */
  at(slot: number): unknown {
    return this.#values[slot];
  }

  /** Marks a field as used. */
  use(slot: number): void {
    if (this.#values[slot] === undefined) return;
    this.#values[slot] = undefined;
    this.#left--;
  }

  /** The first usable value of a field. Its field remains unless the parsed value `isComplete`. */
  take<Value>(field: Field, parse: Parse<Value>, isComplete: IsComplete<Value> = isSameValue): Value | undefined {
    if (this.lacks(field)) return undefined;
    const { slots } = field;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      const value = this.#values[slot];
      if (value === undefined) continue;
      const parsed = parse(value, this.notes);
      if (parsed !== undefined) {
        if (isComplete(value, parsed)) this.use(slot);
        return parsed;
      }
      if (field.isExpected) this.notes.isFieldUnusable = true;
    }
    return undefined;
  }

  /** The same, also within `metadata`. */
  takeAny<Value>(field: Field, parse: Parse<Value>, isComplete?: IsComplete<Value>): Value | undefined {
    return this.take(field, parse, isComplete) ?? this.metadata?.take(field, parse, isComplete);
  }

  /** The same, also within `stats`. */
  takeCounted<Value>(field: Field, parse: Parse<Value>, isComplete?: IsComplete<Value>): Value | undefined {
    const value = this.takeAny(field, parse, isComplete);
    if (value !== undefined) return value;
    for (const counts of this.stats) {
      const counted = counts.take(field, parse, isComplete);
      if (counted !== undefined) return counted;
    }
    return undefined;
  }

  /** Whether a field remains. */
  holds(field: Field): boolean {
    return field.slots.some((slot) => this.#values[slot] !== undefined);
  }

  /** The fields of a nested object; what remains of it stays under its name. */
  nested(slot: number): RecordFields | undefined {
    const value = this.#values[slot];
    if (!isObject(value)) return undefined;
    const fields = new RecordFields(value, this.notes);
    this.use(slot);
    this.#nested ??= new Map();
    this.#nested.set(slot, fields);
    return fields;
  }

  /** The remaining fields in the order of the source. */
  leftovers(): [string, unknown][] {
    const left: [string, unknown][] = [];
    if (this.#left === 0 && this.#nested === undefined) return left;
    for (const name in this.#record) {
      const slot = slotOf(name);
      const value = slot === undefined ? this.#record[name] : (this.#values[slot] ?? this.#leftWithin(slot));
      if (!isBlank(value)) left.push([name, value]);
    }
    return left;
  }

  #leftWithin(slot: number): Record<string, unknown> | undefined {
    const within = this.#nested?.get(slot)?.leftovers();
    // An assignment to `__proto__` would set the prototype.
    return within?.length ? Object.fromEntries(within) : undefined;
  }
}

/** For values that are only written in another way, such as a time. */
export function isAlwaysComplete(): boolean {
  return true;
}

/** For values that hold less information than the original. */
export function isNeverComplete(): boolean {
  return false;
}

/** Whether an address is served as it is, or resolved. */
export function isServedBy(value: unknown, address: string): boolean {
  return isSameValue(value, address) || (typeof value === 'string' && address.endsWith(value.replace(/^[./]+/, '')));
}

/** False for an object or list, of which only a part was used. White space holds no information. */
function isSameValue(value: unknown, parsed: unknown): boolean {
  if (typeof value === 'object') return false;
  if (typeof value !== 'string' || typeof parsed !== 'string') return Number(value) === Number(parsed);
  return value.length === parsed.length || withoutSpace(cleanText(value)) === withoutSpace(parsed);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

function isBlank(value: unknown): boolean {
  if (typeof value !== 'string') return value === undefined || value === null;
  const first = value.charCodeAt(0);
  return (first <= 0x20 || first > 0x7e || value.length === 0) && value.trim() === '';
}
