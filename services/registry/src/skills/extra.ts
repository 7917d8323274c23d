import { type Budget, boundEntries } from './bounded-value.ts';
import type { RecordFields } from './record-fields.ts';

/** In characters. The raw file keeps everything. */
export const MAX_EXTRA_SIZE = 16_384;

/** The remaining fields of a record, with limits. */
export function readExtra(fields: RecordFields): Record<string, unknown> {
  const entries = fields.leftovers();
  if (entries.length === 0) return {};
  const budget: Budget = { left: MAX_EXTRA_SIZE, cut: false, unsafe: false };
  const extra = boundEntries(entries, budget);
  const { report } = fields.notes;
  if (budget.cut) report.warn('extra_cut');
  if (budget.unsafe) report.warn('key_unsafe');
  return extra;
}
