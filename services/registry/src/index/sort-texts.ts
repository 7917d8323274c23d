import type { TextTable } from './index-data.ts';
import { compareTextsAt, HEAD_UNITS, headOf, isWholeHead } from './text-table.ts';

/** A sort key of 53 bits holds the 32 bits of four code units and the number of the text in 21 bits. */
export const MAX_SORTED_TEXTS = 2 ** 21;

const FEW = 12;
/** Beyond this common prefix, texts are compared directly. */
const MAX_DEPTH = 64;

/**
 * Sorts the numbers of distinct texts in place by code units. Sorts by four code units at a time (MSD radix sort) with
 * the engine's numeric sort, which is several times as fast as one with a comparison function.
 */
export function sortTexts(all: TextTable, numbers: Uint32Array): void {
  sortFrom(all, numbers, new Float64Array(numbers.length), 0);
}

/** The texts have the first `skip` code units in common. */
function sortFrom(all: TextTable, numbers: Uint32Array, room: Float64Array, skip: number): void {
  if (numbers.length <= FEW || skip > MAX_DEPTH) {
    sortDirectly(all, numbers, skip);
    return;
  }
  const keys = room.subarray(0, numbers.length);
  for (let at = 0; at < keys.length; at++) {
    const number = numbers[at] as number;
    keys[at] = headOf(all, number, skip) * MAX_SORTED_TEXTS + number;
  }
  keys.sort();
  const heads = new Uint32Array(keys.length);
  for (let at = 0; at < keys.length; at++) {
    const head = Math.floor((keys[at] as number) / MAX_SORTED_TEXTS);
    heads[at] = head;
    numbers[at] = (keys[at] as number) - head * MAX_SORTED_TEXTS;
  }
  for (let from = 0, to = 1; from < heads.length; from = to++) {
    while (heads[to] === heads[from]) to++;
    if (to - from === 1) continue;
    const group = numbers.subarray(from, to);
    if (isWholeHead(heads[from] as number)) sortFrom(all, group, room, skip + HEAD_UNITS);
    else sortDirectly(all, group, skip);
  }
}

function sortDirectly(all: TextTable, numbers: Uint32Array, skip: number): void {
  numbers.sort((a, b) => compareTextsAt(all, a, b, skip));
}
