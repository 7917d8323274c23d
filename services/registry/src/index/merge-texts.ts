import type { TextTable } from './index-data.ts';
import { compareTextsAt, sizeOf } from './text-table.ts';

export const NO_TEXT = 0xffffffff;

export interface MergedTexts {
  table: TextTable;
  /** By text of each table: its position in the merged one, or `NO_TEXT`. */
  fromOld: Uint32Array;
  fromAdded: Uint32Array;
}

/** Merges two ascending tables; of the first one only the texts that are in use. */
export function mergeTexts(old: TextTable, isUsed: (text: number) => boolean, added: TextTable): MergedTexts {
  const fromOld = new Uint32Array(sizeOf(old)).fill(NO_TEXT);
  const fromAdded = new Uint32Array(sizeOf(added));
  const units = new Uint16Array(old.units.length + added.units.length);
  const offsets = new Uint32Array(fromOld.length + fromAdded.length + 1);
  let count = 0;
  const append = (table: TextTable, text: number) => {
    const from = table.offsets[text] as number;
    const to = table.offsets[text + 1] as number;
    let end = offsets[count] as number;
    for (let at = from; at < to; at++) units[end++] = table.units[at] as number;
    offsets[count + 1] = end;
  };
  let [left, right] = [0, 0];
  while (left < fromOld.length || right < fromAdded.length) {
    if (left < fromOld.length && !isUsed(left)) {
      left++;
      continue;
    }
    const order =
      left === fromOld.length ? 1 : right === fromAdded.length ? -1 : compareTextsAt(old, left, added, right);
    append(order <= 0 ? old : added, order <= 0 ? left : right);
    if (order <= 0) fromOld[left++] = count;
    if (order >= 0) fromAdded[right++] = count;
    count++;
  }
  const table = { units: units.subarray(0, offsets[count]), offsets: offsets.subarray(0, count + 1) };
  return { table, fromOld, fromAdded };
}
