import { keyOf } from '../index/words/fold.ts';
import { cleanLine, isCleanLine, isLetterOrDigit } from '../skills/text.ts';
import { CATEGORY, TAGS } from './field-names.ts';
import type { RecordFields, RecordNotes } from './record-fields.ts';
import { cutNoted, toLabel } from './values.ts';

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

export const MAX_TAGS = 100;
const MAX_LENGTH = 64;

/** The tags of a record, from a list or from text with commas, without duplicates by `keyOf`. */
export function readTags(top: RecordFields): string[] {
  const tags = takeTags(top) ?? (top.metadata && takeTags(top.metadata));
  if (tags !== undefined) return tags;
  top.notes.report.warn('tags_missing');
  return [];
}

function takeTags(fields: RecordFields): string[] | undefined {
  for (const slot of TAGS.slots) {
    const given = toList(fields.at(slot));
    if (given === undefined) continue;
    if (given.length > 0 && areTags(given, fields.notes)) {
      fields.use(slot);
      return given;
    }
    const { tags, isComplete } = clean(given, fields.notes);
    if (isComplete) fields.use(slot);
    if (tags.length > 0) return tags;
  }
  return undefined;
}

function toList(value: unknown): unknown[] | undefined {
  if (typeof value === 'string') return value.split(',').filter((tag) => tag.trim() !== '');
  return Array.isArray(value) ? value : undefined;
}

/** Fast path for most lists: whether all tags are clean and distinct, and equal to their keys. */
function areTags(list: unknown[], notes: RecordNotes): list is string[] {
  if (list.length > MAX_TAGS) return false;
  for (let at = 0; at < list.length; at++) {
    const tag = list[at];
    if (typeof tag !== 'string' || tag.length > MAX_LENGTH || !isLetterOrDigit(tag.charCodeAt(0))) return false;
    if (!isCleanLine(tag, notes.isPlain) || list.indexOf(tag) !== at) return false;
    if (tag !== (notes.isPlain ? tag.toLowerCase() : keyOf(tag))) return false;
  }
  return true;
}

/** `isComplete`: whether only blanks and duplicates were left out. */
function clean(given: unknown[], notes: RecordNotes): { tags: string[]; isComplete: boolean } {
  const tags: string[] = [];
  const folded: string[] = [];
  let isComplete = true;
  for (const item of given) {
    const label = tags.length < MAX_TAGS ? toLabel(item, notes) : undefined;
    if (label === undefined) {
      notes.report.warn('tag_unusable');
      isComplete &&= item === null || (typeof item === 'string' && item.trim() === '');
      continue;
    }
    const tag = cutNoted(label, MAX_LENGTH, notes);
    const key = keyOf(tag);
    if (!folded.includes(key)) {
      folded.push(key);
      tags.push(tag);
    }
    isComplete &&= typeof item === 'number' || (typeof item === 'string' && tags.includes(cleanLine(item)));
  }
  return { tags, isComplete };
}
