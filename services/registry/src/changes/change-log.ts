import { httpError } from '@agent-fleet/shared/http/errors';
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

type Change = 'added' | 'changed' | 'removed';

/**
 * The changes from the snapshot `since` to `current`, oldest first: entries with together at most `limit` ids, but at
 * least one. `history` is latest first.
 * @throws 410 `snapshot_gone` if the history does not reach back to `since`
 */
export function changesSince(
  history: readonly ChangeEntry[],
  current: string,
  since: string,
  limit = Number.POSITIVE_INFINITY,
): ChangeEntry[] {
  const entries: ChangeEntry[] = [];
  let reached = current;
  for (let at = 0; reached !== since; at++) {
    const entry = history[at];
    if (entry?.to !== reached) throw snapshotGone();
    entries.push(entry);
    reached = entry.from;
  }
  return withinLimit(entries.reverse(), limit);
}

function withinLimit(entries: ChangeEntry[], limit: number): ChangeEntry[] {
  let left = limit;
  const past = entries.findIndex(({ added, changed, removed }, at) => {
    left -= added.length + changed.length + removed.length;
    return left < 0 && at > 0;
  });
  return past < 0 ? entries : entries.slice(0, past);
}

function snapshotGone(): Error {
  return httpError('snapshot_gone', 'The changes since that snapshot are not available; read the whole list again');
}

/** Combines changes: a skill that was added and then removed is not among them. */
export function foldChanges(entries: readonly ChangeEntry[]): Record<Change, string[]> {
  const net = new Map<string, Change>();
  for (const { added, changed, removed } of entries) {
    for (const id of removed) apply(net, id, 'removed');
    for (const id of added) apply(net, id, 'added');
    for (const id of changed) apply(net, id, 'changed');
  }
  const changes: Record<Change, string[]> = { added: [], changed: [], removed: [] };
  for (const [id, change] of net) changes[change].push(id);
  return changes;
}

function apply(net: Map<string, Change>, id: string, change: Change): void {
  const before = net.get(id);
  if (change === 'added') net.set(id, before === 'removed' ? 'changed' : 'added');
  else if (change === 'changed') net.set(id, before === 'added' ? 'added' : 'changed');
  else if (before === 'added') net.delete(id);
  else net.set(id, 'removed');
}
