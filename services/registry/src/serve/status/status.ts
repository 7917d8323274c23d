import type { Source } from '../../source/source.ts';
import type { Check, Fault } from '../../store/snapshot.ts';
import type { Served } from '../served.ts';
import type { RegistryStatus } from './contract.ts';

/** Number of missed refreshes after which the snapshot is stale. */
const MISSED_REFRESHES = 3;

/** What a replica knows of its sources. */
export interface SourcesState {
  sources: readonly Source[];
  /** The served snapshot, unless it is the shipped file in place of the sources. */
  own: Served | undefined;
  check: Check | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The response of `/api/registry/status`. */
export function describeStatus(served: Served, state: SourcesState, refreshMs: number): RegistryStatus {
  const { meta, report, counts } = served;
  const { check, sources } = state;
  return {
    source: meta.sources.map(({ label }) => label).join(', '),
    snapshot_id: meta.id,
    fetched_at: toTimestamp(meta.at),
    checked_at: check ? toTimestamp(check.at) : null,
    age_seconds: Math.max(0, Math.floor((state.now() - meta.at) / 1_000)),
    stale: isStale(state, refreshMs),
    last_error: describeFault(sources.map(({ key }) => check?.sources[key]?.error).find(Boolean) ?? null),
    counts: {
      ...counts,
      rejected: report.rejectedCount,
      warnings: report.warnings.reduce((sum, { count }) => sum + count, 0),
    },
    sources: sources.map((source) => describeSource(source, served, state)),
    rejected: report.rejected,
    rejections: report.rejections,
    warnings: report.warnings,
    duplicates: report.duplicates,
  };
}

function describeSource(
  { key, label }: Source,
  served: Served,
  { check }: SourcesState,
): RegistryStatus['sources'][number] {
  const meta = served.meta.sources.find((source) => source.key === key);
  const last = check?.sources[key];
  const report = meta && served.report.sources.find((one) => one.label === meta.label);
  const refused = last?.refused;
  return {
    source: label,
    snapshot_id: meta?.digest ?? null,
    fetched_at: meta ? toTimestamp(meta.fetchedAt) : null,
    checked_at: last ? toTimestamp(last.at) : null,
    next_check_at: last && last.nextAt > last.at ? toTimestamp(last.nextAt) : null,
    last_error: describeFault(last?.error ?? null),
    refused: refused
      ? { snapshot_id: refused.digest, code: refused.code, message: refused.message, at: toTimestamp(refused.at) }
      : null,
    records: report?.records ?? 0,
    rejected: report?.rejected ?? 0,
    missing: report?.missing ?? 0,
  };
}

/** Whether any source failed at its last check, is three refreshes overdue, or has nothing served. */
export function isStale(state: SourcesState, refreshMs: number): boolean {
  const { sources, own, check } = state;
  const now = state.now();
  return sources.some(({ key }) => {
    const last = check?.sources[key];
    const isServed = own?.meta.sources.some((source) => source.key === key);
    if (!isServed || !last || last.error) return true;
    return now - Math.max(last.at, last.nextAt) > MISSED_REFRESHES * refreshMs;
  });
}

function describeFault(fault: Fault | null): RegistryStatus['last_error'] {
  return fault && { code: fault.code, message: fault.message, at: toTimestamp(fault.at) };
}

function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
