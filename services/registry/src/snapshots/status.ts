import type { RegistryStatus } from './contract.ts';
import type { Served } from './served.ts';
import type { Snapshots } from './snapshots.ts';

/** Refreshes that may be missed before what is served counts as stale. */
const MISSED_REFRESHES = 3;

/** The answer of `/api/registry/status` at `now`, in milliseconds. */
export function describeStatus(
  served: Served,
  { check, own }: Snapshots,
  refreshMs: number,
  now: number,
): RegistryStatus {
  const { meta, index, source } = served;
  const { report, categories } = index;
  const warnings = report.warnings();
  return {
    source: source.label,
    snapshot_id: meta.id,
    fetched_at: new Date(meta.fetchedAt).toISOString(),
    checked_at: check ? new Date(check.at).toISOString() : null,
    age_seconds: Math.max(0, Math.floor((now - meta.fetchedAt) / 1_000)),
    stale: own === undefined || !check || check.error !== null || now - check.at > MISSED_REFRESHES * refreshMs,
    last_error: check?.error ? { ...check.error, at: new Date(check.at).toISOString() } : null,
    counts: {
      skills: index.skills.length,
      categories: categories.categories.length,
      tags: categories.tags.length,
      rejected: report.rejectedCount,
      warnings: warnings.reduce((sum, { count }) => sum + count, 0),
    },
    rejected: report.rejected,
    warnings,
  };
}
