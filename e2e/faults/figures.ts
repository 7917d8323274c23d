import type { Ledger, Read } from './clients/ledger.ts';
import { isLoss, isPlanned, type Kind } from './nemeses/nemeses.ts';

/** When reads are judged. */
const JUDGED = {
  quiet: 'without a fault',
  planned: 'during planned changes',
  lost: 'while one process was lost',
} as const;
/**
 * While one process is killed or paused, one read in so many may fail. Fewer reads may not fail at all: one failure
 * would be a larger share, and none is expected, as the load balancer retries reads at another gateway.
 */
const READS_PER_FAILURE = 1_000;
/** A lost primary is noticed and replaced within 5 s (measured: 4); then writes have 10 s. */
const ALLOWED_GAP_MS = 15_000;
/** Where writes need all servers, they wait for the end of the fault. */
const LONGEST_FAULT_MS = 10_000;

/** From the begin of a fault until everything worked again, in ms since the start. */
export interface Window {
  kinds: Kind[];
  fromMs: number;
  toMs: number;
  recoveryMs: number;
}

interface Counted {
  reads: number;
  failed: Read[];
}

/** Judges reads by what was broken meanwhile, and returns a line of figures. `waiting`: how many tasks do. */
export function judge(ledger: Ledger, windows: readonly Window[], waiting: number, needsAll: boolean): string {
  const groups = judgeReads(ledger, windows);
  const gapMs = ledger.longestGapMs;
  if (gapMs > ALLOWED_GAP_MS + (needsAll ? LONGEST_FAULT_MS : 0)) ledger.violate(`no write for ${gapMs} ms`);
  const kinds = Map.groupBy(
    windows.flatMap((window) => window.kinds),
    (kind) => kind,
  );
  const faults = [...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(', ');
  const longest = Math.max(0, ...windows.map(({ recoveryMs }) => recoveryMs));
  const reads = Object.entries(groups).map(([name, group]) => `${name} ${group.failed.length}/${group.reads}`);
  return [
    `${ledger.tasks.size} tasks, ${ledger.agents.size} agents, ${ledger.counts.acknowledged} changes acknowledged`,
    `${ledger.counts.repeated} repeated`,
    `faults: ${faults}`,
    `longest recovery ${longest} ms, longest time without a write ${gapMs} ms`,
    `failed reads: ${reads.join(', ')}`,
    ...(waiting > 0 ? [`${waiting} tasks wait for a deadline of a moved clock`] : []),
  ].join('; ');
}

/** Returns the reads by what was broken meanwhile. */
function judgeReads(ledger: Ledger, windows: readonly Window[]) {
  const groups = { quiet: empty(), planned: empty(), lost: empty(), other: empty() };
  for (const read of ledger.reads) {
    const during = windows.filter(({ fromMs, toMs }) => read.endMs >= fromMs && read.atMs <= toMs);
    const group = groups[groupOf(during.flatMap((window) => window.kinds))];
    group.reads++;
    if (read.problem !== undefined) group.failed.push(read);
  }
  const happened = new Set(['quiet', ...windows.map(({ kinds }) => groupOf(kinds))]);
  for (const name of ['quiet', 'planned', 'lost'] as const) {
    const { reads, failed } = groups[name];
    const allowed = name === 'lost' ? Math.floor(reads / READS_PER_FAILURE) : 0;
    if (failed.length > allowed)
      ledger.violate(`${JUDGED[name]}, ${failed.length} of ${reads} reads failed: ${failed[0]?.problem}`);
    if (reads === 0 && happened.has(name)) ledger.violate(`${JUDGED[name]}, nothing was read`);
  }
  return groups;
}

function groupOf(kinds: readonly Kind[]): 'quiet' | 'planned' | 'lost' | 'other' {
  if (kinds.length === 0) return 'quiet';
  if (kinds.every(isPlanned)) return 'planned';
  return kinds.length === 1 && kinds.every(isLoss) ? 'lost' : 'other';
}

function empty(): Counted {
  return { reads: 0, failed: [] };
}
