import { rowsOf } from '../index/number-writer.ts';
import { compareTexts } from '../skills/text.ts';
import type { CollectedSkills } from './collected-skills.ts';

/** A sort key of 49 bits holds seven code units of seven bits. */
const PREFIX_UNITS = 7;
const UNIT_SIZE = 128;
const LAST_UNIT = UNIT_SIZE - 1;

/** The records by row: those of listed kinds first, by name (code units), then id. */
export function sortRecords(skills: CollectedSkills): Uint32Array {
  const { names, count } = skills;
  const keys = new Float64Array(count);
  const nextKeys = new Float64Array(count);
  for (let record = 0; record < count; record++) {
    const name = names[record] as string;
    keys[record] = toPrefixKey(name, 0);
    // The second key counts only if the first one holds all seven code units.
    if (isAsciiUpTo(name, PREFIX_UNITS)) nextKeys[record] = toPrefixKey(name, PREFIX_UNITS);
  }
  const { isListed } = skills.columns;
  return rowsOf(count).sort(
    (a, b) =>
      (isListed[b] as number) - (isListed[a] as number) ||
      (keys[a] as number) - (keys[b] as number) ||
      (nextKeys[a] as number) - (nextKeys[b] as number) ||
      compareTexts(names[a] as string, names[b] as string) ||
      skills.compareIds(a, b),
  );
}

/** Keys have the order of their texts or are equal: a code unit above ASCII ends the key. */
function toPrefixKey(text: string, start: number): number {
  let key = 0;
  let isOver = false;
  for (let at = start; at < start + PREFIX_UNITS; at++) {
    const unit: number = isOver || at >= text.length ? 0 : text.charCodeAt(at);
    key = key * UNIT_SIZE + Math.min(unit, LAST_UNIT);
    isOver ||= unit >= LAST_UNIT;
  }
  return key;
}

function isAsciiUpTo(text: string, end: number): boolean {
  for (let at = 0; at < end && at < text.length; at++) if (text.charCodeAt(at) >= LAST_UNIT) return false;
  return true;
}
