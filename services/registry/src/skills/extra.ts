import { type Budget, boundValue } from './bounded-value.ts';
import { isObject, type RecordFields, toObject } from './record-fields.ts';
import type { Report } from './report.ts';

/** In characters; whatever is beyond is in the raw file still. */
const MAX_SIZE = 16_384;

/** Fields of a skill: upstream's value is left over only where it could not be used. */
const KNOWN = ['id', 'name', 'license', 'version', 'stars', 'downloads', 'featured', 'updated_at'];

/** What upstream says of a skill beyond the fields it has here: bounded in size, safe to hand out. */
export function readExtra(layers: RecordFields[], report: Report): Record<string, unknown> {
  const entries = layers[0]?.leftovers() ?? [];
  if (entries.length === 0) return {};
  if (layers.some((fields) => fields.holds(KNOWN))) report.warn('field_unusable');
  const budget: Budget = { left: MAX_SIZE, cut: false, unsafe: false };
  const extra = boundValue(toObject(entries), budget);
  if (budget.cut) report.warn('extra_cut');
  if (budget.unsafe) report.warn('key_unsafe');
  return isObject(extra) ? extra : {};
}
