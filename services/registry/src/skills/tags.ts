import type { RecordFields } from './record-fields.ts';
import type { Report } from './report.ts';
import { cutText } from './text.ts';
import { toLabel } from './values.ts';

const MAX_TAGS = 100;
const MAX_LENGTH = 64;

/** The tags of a record, given as a list or as one text with commas; doubles in another case go. */
export function readTags(layers: RecordFields[], report: Report): string[] {
  for (const fields of layers) {
    const given = fields.takeList(['tags', 'keywords', 'topics'], toList);
    if (given === undefined || given.length === 0) continue;
    const tags = clean(given, report);
    if (tags.length > 0) return tags;
  }
  report.warn('tags_missing');
  return [];
}

function toList(value: unknown): unknown[] | undefined {
  if (typeof value === 'string') return value.split(',').filter((tag) => tag.trim() !== '');
  return Array.isArray(value) ? value : undefined;
}

function clean(given: unknown[], report: Report): string[] {
  const tags = new Map<string, string>();
  for (const item of given) {
    const label = toLabel(item);
    if (label === undefined || tags.size === MAX_TAGS) report.warn('tag_unusable');
    else {
      const tag = cutText(label, MAX_LENGTH);
      if (!tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), tag);
    }
  }
  return [...tags.values()];
}
