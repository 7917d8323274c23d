import type { TextTable } from './index-data.ts';
import { mergeSort } from './merge-sort.ts';
import { compareTextsAt, HEAD_UNITS, headOf, isWholeHead } from './text-table.ts';

/**
 * Numbers of texts have 21 bits, as a text is sorted by a number of 53 bits that has the 32 of four letters besides.
 */
export const MAX_SORTED_TEXTS = 2 ** 21;

const FEW = 12;
/** Texts that are alike for longer are compared as they are. */
const MAX_DEPTH = 64;

/**
 * Sorts the numbers of different texts, in place, by their code units: four after four, by the engine's sort of plain
 * numbers.
 */
export function sortTexts(all: TextTable, numbers: Uint32Array): void {
  sortFrom(all, numbers, new Float64Array(numbers.length), 0);
}

/** The texts have the first `skip` code units in common. */
function sortFrom(all: TextTable, numbers: Uint32Array, room: Float64Array, skip: number): void {
  if (numbers.length <= FEW || skip > MAX_DEPTH) {
    mergeSort(numbers, (a, b) => compareTextsAt(all, a, b, skip) > 0);
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
    const next = isWholeHead(heads[from] as number) ? skip + HEAD_UNITS : skip;
    if (next > skip) sortFrom(all, numbers.subarray(from, to), room, next);
    else mergeSort(numbers.subarray(from, to), (a, b) => compareTextsAt(all, a, b, skip) > 0);
  }
}
