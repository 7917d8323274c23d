import { foldName } from '../index/words/fold.ts';
import type { SkillTable } from '../skills/skill-table.ts';
import { compareTexts } from '../skills/text.ts';
import { NONE } from './collected-records.ts';
import type { MergedSkills } from './merged-skills.ts';

/** A sort key of 49 bits holds seven code units of seven bits. */
const PREFIX_UNITS = 7;
const UNIT_SIZE = 128;
const LAST_UNIT = UNIT_SIZE - 1;

/**
 * The groups by row: those of listed kinds first, by folded name (code units), then id. Skills of the build before are
 * in order already: the others are merged into them.
 */
export function sortSkills(skills: MergedSkills, kept: SkillTable | undefined): Uint32Array {
  const inOrder = keptInOrder(skills, kept?.count ?? 0);
  const others = sortOthers(skills);
  const sorted = new Uint32Array(skills.count);
  let from = 0;
  for (const [at, group] of others.entries()) {
    const name = skills.records.nameOf(skills.firstRecord(group));
    const to = firstAfter(inOrder, from, (other) => isBefore(skills, group, name, other, kept));
    sorted.set(inOrder.subarray(from, to), from + at);
    sorted[to + at] = group;
    from = to;
  }
  sorted.set(inOrder.subarray(from), from + others.length);
  return sorted;
}

/** The groups that keep their row, in the order of these. */
function keptInOrder({ keptRows }: MergedSkills, count: number): Uint32Array {
  const byRow = new Uint32Array(count).fill(NONE);
  for (let group = 0; group < keptRows.length; group++) {
    if (keptRows[group] !== NONE) byRow[keptRows[group] as number] = group;
  }
  return byRow.filter((group) => group !== NONE);
}

/** Binary search: the position of the first of `groups` from `from` on that comes after a skill. */
function firstAfter(groups: Uint32Array, from: number, isAfter: (group: number) => boolean): number {
  let low = from;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(groups[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a skill comes before one of the build before. */
function isBefore(skills: MergedSkills, group: number, name: string, other: number, kept: SkillTable | undefined) {
  const isListed = skills.isListed(group);
  if (isListed !== skills.isListed(other)) return isListed;
  const row = skills.keptRows[other] as number;
  const order = compareTexts(name, foldName(kept?.nameAt(row) ?? ''));
  return (order || compareTexts(skills.idOf(group), kept?.idAt(row) ?? '')) < 0;
}

function sortOthers(skills: MergedSkills): Uint32Array {
  const others = skills.keptRows.map((_, group) => group).filter((group) => skills.keptRows[group] === NONE);
  const names = Array.from(others, (group) => skills.records.nameOf(skills.firstRecord(group)));
  const keys = Float64Array.from(names, (name) => toPrefixKey(name, 0));
  // The second key counts only if the first one holds all seven code units.
  const nextKeys = Float64Array.from(names, (name) =>
    isAsciiUpTo(name, PREFIX_UNITS) ? toPrefixKey(name, PREFIX_UNITS) : 0,
  );
  const order = others.map((_, at) => at);
  order.sort((a, b) => {
    const [left, right] = [others[a] as number, others[b] as number];
    return (
      Number(skills.isListed(right)) - Number(skills.isListed(left)) ||
      (keys[a] as number) - (keys[b] as number) ||
      (nextKeys[a] as number) - (nextKeys[b] as number) ||
      compareTexts(names[a] as string, names[b] as string) ||
      compareTexts(skills.idOf(left), skills.idOf(right))
    );
  });
  return order.map((at) => others[at] as number);
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
