import type { TextTable } from './index-data.ts';

export function sizeOf(table: TextTable): number {
  return table.offsets.length - 1;
}

/** Buffers over the code units of tables: they make strings several times as fast as `String.fromCharCode`. */
const buffers = new WeakMap<Uint16Array, Buffer>();

export function textAt({ units, offsets }: TextTable, index: number): string {
  let buffer = buffers.get(units);
  if (buffer === undefined) {
    buffer = Buffer.from(units.buffer, units.byteOffset, units.byteLength);
    buffers.set(units, buffer);
  }
  return buffer.toString('utf16le', offsets[index]! * 2, offsets[index + 1]! * 2);
}

/** The texts of these numbers in a table of exact size. */
export function tableOf(all: TextTable, numbers: Uint32Array): TextTable {
  const offsets = new Uint32Array(numbers.length + 1);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    offsets[at + 1] = offsets[at]! + all.offsets[number + 1]! - all.offsets[number]!;
  }
  const units = new Uint16Array(offsets[numbers.length]!);
  for (let at = 0; at < numbers.length; at++) {
    const from = all.offsets[numbers[at]!]!;
    const to = offsets[at + 1]!;
    for (let unit = offsets[at]!, next = from; unit < to; unit++, next++) {
      units[unit] = all.units[next]!;
    }
  }
  return { units, offsets };
}

/** By number below `count`: its position in `order`. */
export function positionsOf(order: Uint32Array, count: number): Uint32Array {
  const positions = new Uint32Array(count);
  for (let at = 0; at < order.length; at++) positions[order[at]!] = at;
  return positions;
}

export function tableOfTexts(texts: readonly string[]): TextTable {
  const offsets = new Uint32Array(texts.length + 1);
  for (let at = 0; at < texts.length; at++) offsets[at + 1] = offsets[at]! + (texts[at] as string).length;
  const units = new Uint16Array(offsets[texts.length]!);
  for (let at = 0, unit = 0; at < texts.length; at++) {
    const text = texts[at] as string;
    for (let next = 0; next < text.length; next++) units[unit++] = text.charCodeAt(next);
  }
  return { units, offsets };
}

/** Compares texts `a` and `b` by code units. */
export function compareTextsAt({ units, offsets }: TextTable, a: number, b: number): number {
  let left = offsets[a]!;
  let right = offsets[b]!;
  const leftEnd = offsets[a + 1]!;
  const rightEnd = offsets[b + 1]!;
  while (left < leftEnd && right < rightEnd) {
    const difference = units[left++]! - units[right++]!;
    if (difference !== 0) return difference;
  }
  return leftEnd - left - (rightEnd - right);
}

/** Texts that begin with a prefix. */
export interface PrefixRange {
  from: number;
  /** Exclusive. */
  to: number;
  /** Whether the first one equals the prefix. */
  isExact: boolean;
}

/**
 * Finds the texts of an ascending table that begin with `prefix`, from `low` up to `high`. The first `shared` code
 * units of all these texts are those of the prefix.
 */
export function prefixRange(table: TextTable, prefix: string, low = 0, high = sizeOf(table), shared = 0): PrefixRange {
  const from = firstWhere(low, high, (index) => compareWith(table, index, prefix, shared) >= 0);
  const to = firstWhere(from, high, (index) => !startsWith(table, index, prefix, shared));
  return { from, to, isExact: from < to && lengthAt(table, from) === prefix.length };
}

/** Finds a text in an ascending table, from `low` up to `high`; -1 if it is missing. `shared` as for `prefixRange`. */
export function indexOfText(table: TextTable, text: string, low = 0, high = sizeOf(table), shared = 0): number {
  const index = firstWhere(low, high, (at) => compareWith(table, at, text, shared) >= 0);
  return index < high && compareWith(table, index, text, shared) === 0 ? index : -1;
}

export function lengthAt({ offsets }: TextTable, index: number): number {
  return offsets[index + 1]! - offsets[index]!;
}

/** Binary search: the first index from `low` up to `high` from which on `holds` is true; `high` if there is none. */
export function firstWhere(low: number, high: number, holds: (index: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function compareWith({ units, offsets }: TextTable, index: number, text: string, shared: number): number {
  const from = offsets[index]!;
  const length = offsets[index + 1]! - from;
  const end = Math.min(length, text.length);
  for (let at = shared; at < end; at++) {
    const difference = units[from + at]! - text.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return length - text.length;
}

function startsWith(table: TextTable, index: number, prefix: string, shared: number): boolean {
  if (lengthAt(table, index) < prefix.length) return false;
  const from = table.offsets[index]!;
  for (let at = shared; at < prefix.length; at++) if (table.units[from + at] !== prefix.charCodeAt(at)) return false;
  return true;
}
