import { type Budget, boundEntries } from './bounded-value.ts';
import type { RecordFields } from './record-fields.ts';

/** In characters; whatever is beyond is in the raw file still. */
export const MAX_EXTRA_SIZE = 16_384;

/** What upstream says of a skill beyond the fields it has here: bounded in size, safe to hand out. */
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
