import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import { Counter, type Registry } from 'prom-client';
import { isStale } from '../serve/status/status.ts';
import type { Snapshots } from './snapshots.ts';

/** The metrics of this replica's snapshot. */
export function exposeSnapshots(registry: Registry, snapshots: Snapshots, refreshMs: number): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    exposeGauge(registry, { name, help, read });
  const report = () => snapshots.served?.report;
  gauge('registry_skills', 'Number of served skills', () => snapshots.served?.counts.skills ?? 0);
  gauge('registry_records_rejected', 'Number of unusable records', () => report()?.rejectedCount ?? 0);
  gauge('registry_snapshot_timestamp_seconds', 'Time when the served snapshot was built', () => {
    return (snapshots.served?.meta.at ?? 0) / 1_000;
  });
  gauge('registry_snapshot_age_seconds', 'Time since the served snapshot was built', () => {
    return snapshots.served && Math.max(0, snapshots.now() - snapshots.served.meta.at) / 1_000;
  });
  gauge('registry_check_age_seconds', 'Time since any replica last checked the sources', () => {
    return snapshots.check && Math.max(0, snapshots.now() - snapshots.check.at) / 1_000;
  });
  gauge('registry_stale', '1 while the served snapshot may be outdated', () => (isStale(snapshots, refreshMs) ? 1 : 0));
  gauge('registry_snapshot_refused', '1 while the current version of a source is refused', () => {
    return Object.values(snapshots.check?.sources ?? {}).some(({ refused }) => refused) ? 1 : 0;
  });
  const checks = new Counter({
    name: 'registry_checks_total',
    help: 'Checks of sources by this replica: `ok` or the code of the error',
    labelNames: ['outcome'],
    registers: [registry],
  });
  snapshots.onChecked((outcome) => checks.inc({ outcome }));
}
