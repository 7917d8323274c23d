import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Snapshots } from './snapshots.ts';
import { isStale } from './status.ts';

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
  gauge('registry_skills', 'Skills that are served', () => snapshots.served?.counts.skills ?? 0);
  gauge('registry_records_rejected', 'Records that could not be used', () => report()?.rejectedCount ?? 0);
  gauge('registry_snapshot_timestamp_seconds', 'When the served snapshot was made', () => {
    return (snapshots.served?.meta.at ?? 0) / 1_000;
  });
  gauge('registry_stale', '1 while what is served may be old', () => (isStale(snapshots, refreshMs) ? 1 : 0));
  gauge('registry_snapshot_refused', '1 while a source offers what is refused', () => {
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
