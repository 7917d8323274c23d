import type { LabelColumn, TextTable } from './index-data.ts';
import { sizeOf, tableOfTexts } from './text-table.ts';

/** Counts labels. The values of all rows are numbers of `keys`. */
export function toLabelColumn(
  { offsets, values }: Pick<LabelColumn, 'offsets' | 'values'>,
  keys: TextTable,
  spellings: string[],
  listed: number,
): LabelColumn {
  const counts = countLabels(values, values.length, sizeOf(keys));
  const listedCounts = countLabels(values, offsets[listed] as number, sizeOf(keys));
  return { keys, spellings: tableOfTexts(spellings), counts, listedCounts, offsets, values };
}

/** How often each label occurs among the first `end` of `values`. */
function countLabels(values: Uint32Array, end: number, labels: number): Uint32Array {
  const counts = new Uint32Array(labels);
  for (let at = 0; at < end; at++) counts[values[at] as number] = (counts[values[at] as number] as number) + 1;
  return counts;
}
