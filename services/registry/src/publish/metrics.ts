import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { isStale } from '../serve/status/status.ts';
import type { Snapshots } from './snapshots.ts';

/** The metrics of this replica for `GET /metrics`, which the gateway does not route. */
export function createRegistryMetrics(snapshots: Snapshots, refreshMs: number): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => number) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  const report = () => snapshots.served?.report;
  gauge('registry_skills', 'Number of served skills', () => snapshots.served?.counts.skills ?? 0);
  gauge('registry_records_rejected', 'Number of unusable records', () => report()?.rejectedCount ?? 0);
  gauge('registry_snapshot_timestamp_seconds', 'Time when the served snapshot was built', () => {
    return (snapshots.served?.meta.at ?? 0) / 1_000;
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
  return registry;
}
