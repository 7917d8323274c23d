import { z } from 'zod';
import type { SkillTable } from '../skills/skill-table.ts';
import type { SkillDifference } from './skill-difference.ts';

const CHANGE_ENTRY = z.object({
  /** Ids of snapshots. */
  from: z.string(),
  to: z.string(),
  /** Time of `to` in milliseconds. */
  at: z.int(),
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});

/** The changes from one snapshot to the next; ids of skills. */
export type ChangeEntry = z.output<typeof CHANGE_ENTRY>;

export const CHANGE_ENTRIES = z.array(CHANGE_ENTRY);

const MAX_ENTRIES = 100;
const MAX_IDS = 20_000;

type Ids = Pick<SkillTable, 'idAt'>;

/**
 * Prepends a step to a history, which keeps at most a hundred steps and 20,000 ids. A step with more ids empties the
 * history, as changes before it could not be combined with later ones.
 */
export function appendChange(
  history: readonly ChangeEntry[],
  step: { from: string; to: string; at: number },
  difference: SkillDifference,
  before: Ids,
  now: Ids,
): ChangeEntry[] {
  const { added, changed, removed } = difference;
  if (added.length + changed.length + removed.length > MAX_IDS) return [];
  const idsOf = (ids: Ids, rows: Uint32Array) => Array.from(rows, (row) => ids.idAt(row));
  const entry = { ...step, added: idsOf(now, added), changed: idsOf(now, changed), removed: idsOf(before, removed) };
  return withinBounds([entry, ...history]);
}

function withinBounds(entries: ChangeEntry[]): ChangeEntry[] {
  let ids = 0;
  const end = entries.findIndex(({ added, changed, removed }, at) => {
    ids += added.length + changed.length + removed.length;
    return at === MAX_ENTRIES || ids > MAX_IDS;
  });
  return end < 0 ? entries : entries.slice(0, end);
}
