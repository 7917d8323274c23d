import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import { readOnce } from '@agent-fleet/shared/metrics/read-once';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { IdentityConfig } from '../config.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import { createAuditEvents } from './audit-events.ts';
import { startAuditLog } from './audit-log.ts';
import { createAuditStore, START } from './audit-store.ts';
import type { Position } from './audit-trail.ts';
import { listAuditEvents } from './contract.ts';

/** The audit trail: its operation, its metrics and its log. */
export function startAudit(context: IdentityContext, config: Pick<IdentityConfig, 'redis' | 'audit'>) {
  exposeAudit(context);
  const { list } = createAuditEvents(createAuditStore(context), context.logger);
  const bindings: Binding[] = [bind(listAuditEvents, list)];
  return { bindings, ...startAuditLog(config, context) };
}

/** Metrics, read from Redis at each scrape. */
function exposeAudit({ redis, keys, registry }: IdentityContext): void {
  const read = readOnce(async () => {
    const [entries, text, now] = await Promise.all([
      redis.xlen(keys.audit),
      redis.get(keys.auditLog),
      redisTime(redis),
    ]);
    const after = text === null ? START : (JSON.parse(text) as Position).id;
    const [next] = await redis.xrange(keys.audit, `(${after}`, '+', 'COUNT', 1);
    return { entries, lagMs: next ? Math.max(0, now - Number.parseInt(next[0], 10)) : 0 };
  });
  exposeGauge(registry, {
    name: 'identity_audit_entries',
    help: 'Entries of the audit trail; from every replica: aggregate by max',
    read: async () => (await read())?.entries,
  });
  exposeGauge(registry, {
    name: 'identity_audit_log_lag_seconds',
    help: 'Age of the first entry of the audit trail that is not in the log; from every replica: aggregate by max',
    async read() {
      const audit = await read();
      return audit && audit.lagMs / 1_000;
    },
  });
}
