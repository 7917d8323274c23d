import { keyOf } from '../index/words/fold.ts';
import { CATEGORY } from './field-names.ts';
import type { RecordFields } from './record-fields.ts';
import { toLabel } from './values.ts';

const MAX_CATEGORIES = 16;

/**
 * The categories of a record, else that of its group, as upstream writes them: from a text or a list, without
 * duplicates by `keyOf`.
 */
export function readCategories(top: RecordFields, ofGroup: string | undefined): string[] {
  const own = takeCategories(top);
  const found = own.length > 0 || top.metadata === undefined ? own : takeCategories(top.metadata);
  const group = found.length > 0 ? undefined : toLabel(ofGroup, top.notes);
  return group === undefined ? found : [group];
}

function takeCategories(fields: RecordFields): string[] {
  const categories = new Map<string, string>();
  for (const slot of CATEGORY.slots) {
    const value = fields.at(slot);
    if (value !== undefined && addAll(Array.isArray(value) ? value : [value], categories, fields)) fields.use(slot);
  }
  return [...categories.values()];
}

/** Returns whether no information is left out. */
function addAll(items: unknown[], categories: Map<string, string>, { notes }: RecordFields): boolean {
  let isComplete = items.length > 0;
  for (const item of items) {
    const label = categories.size < MAX_CATEGORIES ? toLabel(item, notes) : undefined;
    if (label === undefined) {
      isComplete = false;
      if (categories.size === MAX_CATEGORIES) break;
      continue;
    }
    const key = keyOf(label);
    if (!categories.has(key)) categories.set(key, label);
    isComplete &&= typeof item === 'string' && categories.get(key) === item.trim();
  }
  return isComplete;
}
