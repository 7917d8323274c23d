import type { LabelListColumn, TextTable } from './index-data.ts';
import { positionsOf, tableOfTexts } from './text-table.ts';

/** The values of all rows as numbers of labels in any order. */
interface LabelValues {
  offsets: Uint32Array;
  values: Uint32Array;
  /** The number of labels. */
  labels: number;
  /** The labels that rows have, in the order of their keys. */
  order: Uint32Array;
}

/** Numbers the labels in the order of their keys and counts them over the listed rows. */
export function tableLabels(
  { offsets, values, labels, order }: LabelValues,
  keys: TextTable,
  spellings: string[],
  listed: number,
): LabelListColumn {
  const positions = positionsOf(order, labels);
  const numbers = values.map((label) => positions[label] as number);
  const counts = new Uint32Array(order.length);
  const end = offsets[listed] as number;
  for (let at = 0; at < end; at++) {
    const label = numbers[at] as number;
    counts[label] = (counts[label] as number) + 1;
  }
  return { keys, spellings: tableOfTexts(spellings), counts, offsets, values: numbers };
}
