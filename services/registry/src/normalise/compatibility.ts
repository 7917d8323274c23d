import { isObject } from '@agent-fleet/shared/contract/json-object';
import { isMeaningful } from '../skills/text.ts';
import type { RecordNotes } from './record-fields.ts';
import { cutNoted, toLine } from './values.ts';

const MAX_LENGTH = 1_000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 3;

/** The requirements of a skill as one line: a text, a list as `a, b`, or an object as `key: value, key: value`. */
export function toCompatibility(value: unknown, notes: RecordNotes): string | undefined {
  const line = toPhrase(value, notes, MAX_DEPTH);
  return line === undefined || !isMeaningful(line) ? undefined : cutNoted(line, MAX_LENGTH, notes);
}

function toPhrase(value: unknown, notes: RecordNotes, depth: number): string | undefined {
  if (typeof value !== 'object') return toLine(value, MAX_LENGTH + 1, notes);
  if (depth === 0) return undefined;
  const phrases = Array.isArray(value)
    ? value.slice(0, MAX_ITEMS).map((item) => toPhrase(item, notes, depth - 1))
    : isObject(value)
      ? Object.entries(value)
          .slice(0, MAX_ITEMS)
          .map(([key, item]) => toPair(key, item, notes, depth - 1))
      : [];
  return phrases.filter((phrase) => phrase !== undefined).join(', ') || undefined;
}

function toPair(key: string, value: unknown, notes: RecordNotes, depth: number): string | undefined {
  const name = toLine(key, MAX_LENGTH, notes);
  if (value === true) return name;
  const phrase = toPhrase(value, notes, depth);
  return phrase === undefined || name === undefined ? phrase : `${name}: ${phrase}`;
}
