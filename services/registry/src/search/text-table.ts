import type { TextTable } from './index-data.ts';

/** How many texts a table has. */
export function sizeOf(table: TextTable): number {
  return table.offsets.length - 1;
}

export function textAt(table: TextTable, index: number): string {
  const from = table.offsets[index] as number;
  const to = table.offsets[index + 1] as number;
  let text = '';
  // In parts, as the number of arguments of a call is bounded.
  for (let at = from; at < to; at += 4_096) {
    text += String.fromCharCode(...table.units.subarray(at, Math.min(at + 4_096, to)));
  }
  return text;
}

/** The texts of these numbers in an own table of exact size. */
export function tableOf(all: TextTable, numbers: Uint32Array): TextTable {
  const offsets = new Uint32Array(numbers.length + 1);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    offsets[at + 1] = (offsets[at] as number) + (all.offsets[number + 1] as number) - (all.offsets[number] as number);
  }
  const units = new Uint16Array(offsets[numbers.length] as number);
  for (let at = 0; at < numbers.length; at++) {
    const from = all.offsets[numbers[at] as number] as number;
    const to = offsets[at + 1] as number;
    for (let unit = offsets[at] as number, next = from; unit < to; unit++, next++)
      units[unit] = all.units[next] as number;
  }
  return { units, offsets };
}

/** A table of texts in their order. */
export function tableOfTexts(texts: readonly string[]): TextTable {
  const offsets = new Uint32Array(texts.length + 1);
  for (let at = 0; at < texts.length; at++) offsets[at + 1] = (offsets[at] as number) + (texts[at] as string).length;
  const units = new Uint16Array(offsets[texts.length] as number);
  for (let at = 0, unit = 0; at < texts.length; at++) {
    const text = texts[at] as string;
    for (let next = 0; next < text.length; next++) units[unit++] = text.charCodeAt(next);
  }
  return { units, offsets };
}

/** Below 0 when text `a` comes before text `b` by code units, of which both have the first `skip` in common. */
export function compareTextsAt({ units, offsets }: TextTable, a: number, b: number, skip = 0): number {
  let left = (offsets[a] as number) + skip;
  let right = (offsets[b] as number) + skip;
  const leftEnd = offsets[a + 1] as number;
  const rightEnd = offsets[b + 1] as number;
  while (left < leftEnd && right < rightEnd) {
    const difference = (units[left++] as number) - (units[right++] as number);
    if (difference !== 0) return difference;
  }
  return leftEnd - left - (rightEnd - right);
}

/** How many code units a head has. */
export const HEAD_UNITS = 4;

/**
 * The four code units of a text from `skip` on in 32 bits: the lesser number is of the text that comes first, texts of
 * the same are to be compared in whole. From a code unit beyond 254 on, a number says nothing.
 */
export function headOf({ units, offsets }: TextTable, index: number, skip: number): number {
  const to = offsets[index + 1] as number;
  let head = 0;
  let at = (offsets[index] as number) + skip;
  for (let unit = 0; unit < HEAD_UNITS; unit++) {
    const unit = at < to ? (units[at++] as number) : 0;
    head = head * 256 + Math.min(unit, 255);
    if (unit >= 255) at = to;
  }
  return head;
}

/** Whether texts of the same head have all code units of it in common. */
export function isWholeHead(head: number): boolean {
  for (let rest = head; rest > 0; rest >>>= 8) if ((rest & 255) === 255) return false;
  return (head & 255) !== 0;
}

/** Whether a text is there at all, and the texts that begin with it: from `from` to before `to`. */
export interface PrefixRange {
  from: number;
  to: number;
  isExact: boolean;
}

/** Of an ascending table, within `low` to before `high`: the texts that begin with `prefix`. */
export function prefixRange(table: TextTable, prefix: string, low = 0, high = sizeOf(table)): PrefixRange {
  const from = firstWhere(low, high, (index) => compareWith(table, index, prefix) >= 0);
  const to = firstWhere(from, high, (index) => !startsWith(table, index, prefix));
  return { from, to, isExact: from < to && lengthAt(table, from) === prefix.length };
}

/** Where an ascending table has exactly this text, within `low` to before `high`; -1 where it does not. */
export function indexOfText(table: TextTable, text: string, low = 0, high = sizeOf(table)): number {
  const index = firstWhere(low, high, (at) => compareWith(table, at, text) >= 0);
  return index < high && lengthAt(table, index) === text.length && startsWith(table, index, text) ? index : -1;
}

export function lengthAt({ offsets }: TextTable, index: number): number {
  return (offsets[index + 1] as number) - (offsets[index] as number);
}

/** The first of `low` to before `high` for which `holds`, which holds for all after it; `high` where there is none. */
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

function compareWith({ units, offsets }: TextTable, index: number, text: string): number {
  const from = offsets[index] as number;
  const length = (offsets[index + 1] as number) - from;
  const shared = Math.min(length, text.length);
  for (let at = 0; at < shared; at++) {
    const difference = (units[from + at] as number) - text.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return length - text.length;
}

function startsWith(table: TextTable, index: number, prefix: string): boolean {
  if (lengthAt(table, index) < prefix.length) return false;
  const from = table.offsets[index] as number;
  for (let at = 0; at < prefix.length; at++) if (table.units[from + at] !== prefix.charCodeAt(at)) return false;
  return true;
}
