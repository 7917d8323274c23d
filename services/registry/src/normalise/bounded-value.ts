import { cleanText, cutText } from '../skills/text.ts';
import type { RecordFields } from './record-fields.ts';

/** In characters. The raw file keeps everything. */
export const MAX_EXTRA_SIZE = 16_384;

const MAX_DEPTH = 6;
const MAX_ITEMS = 1_000;
const MAX_KEY_LENGTH = 200;
const MAX_TEXT_LENGTH = 8_192;
/** A careless merge in a client would change the prototype of all objects. */
const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The remaining size for one record, in characters, and whether something was dropped. */
interface Budget {
  left: number;
  cut: boolean;
  unsafe: boolean;
}

/** The remaining fields of a record, with limits on depth, number and size, without unsafe keys. */
export function readExtra(fields: RecordFields): Record<string, unknown> {
  const entries = fields.leftovers();
  if (entries.length === 0) return {};
  const budget: Budget = { left: MAX_EXTRA_SIZE, cut: false, unsafe: false };
  const extra = boundEntries(entries, budget, MAX_DEPTH);
  const { report } = fields.notes;
  if (budget.cut) report.warn('extra_cut');
  if (budget.unsafe) report.warn('key_unsafe');
  return extra;
}

function boundValue(value: unknown, budget: Budget, depth: number): unknown {
  if (typeof value === 'string') return boundText(value, budget);
  if (typeof value !== 'object' || value === null) {
    budget.left -= 8;
    return value;
  }
  if (depth === 0) {
    budget.cut = true;
    return null;
  }
  return Array.isArray(value) ? boundList(value, budget, depth) : boundEntries(Object.entries(value), budget, depth);
}

function boundText(text: string, budget: Budget): string {
  const clean = cleanText(text);
  const kept = cutText(clean, Math.max(0, Math.min(MAX_TEXT_LENGTH, budget.left)));
  if (kept.length < clean.length) budget.cut = true;
  budget.left -= kept.length + 2;
  return kept;
}

function boundList(list: unknown[], budget: Budget, depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    if (kept.length === MAX_ITEMS || budget.left <= 0) {
      budget.cut = true;
      break;
    }
    kept.push(boundValue(item, budget, depth - 1));
  }
  return kept;
}

function boundEntries(entries: readonly [string, unknown][], budget: Budget, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const [key, value] of entries) {
    if (UNSAFE_KEYS.has(key)) {
      budget.unsafe = true;
      continue;
    }
    if (++count > MAX_ITEMS || budget.left <= 0 || key.length > MAX_KEY_LENGTH) {
      budget.cut = true;
      continue;
    }
    budget.left -= key.length + 4;
    kept[key.toWellFormed()] = boundValue(value, budget, depth - 1);
  }
  return kept;
}
