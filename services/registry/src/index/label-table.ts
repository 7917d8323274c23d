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

/** Numbers the labels in the order of their keys and counts them. */
export function tableLabels(
  { offsets, values, labels, order }: LabelValues,
  keys: TextTable,
  spellings: string[],
  listed: number,
): LabelListColumn {
  const positions = positionsOf(order, labels);
  const numbers = values.map((label) => positions[label] as number);
  const counts = countLabels(numbers, numbers.length, order.length);
  const listedCounts = countLabels(numbers, offsets[listed] as number, order.length);
  return { keys, spellings: tableOfTexts(spellings), counts, listedCounts, offsets, values: numbers };
}

/** How often each label occurs among the first `end` of `values`. */
function countLabels(values: Uint32Array, end: number, labels: number): Uint32Array {
  const counts = new Uint32Array(labels);
  for (let at = 0; at < end; at++) counts[values[at] as number] = (counts[values[at] as number] as number) + 1;
  return counts;
}
