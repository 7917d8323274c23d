import { readOnce } from '@agent-fleet/shared/metrics/read-once';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { Registry } from 'prom-client';
import { START } from '../audit/audit-store.ts';
import type { Position } from '../audit/audit-trail.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';

export function exposePasswords(registry: Registry, { queue }: Passwords): void {
  exposeGauge(registry, {
    name: 'identity_password_hashes',
    help: 'Passwords that are being hashed or checked, and those that wait for it',
    labelNames: ['state'],
    read() {
      const { running, waiting } = queue();
      return [[{ state: 'running' }, running] as const, [{ state: 'waiting' }, waiting] as const];
    },
  });
}

/** Metrics of the audit trail, read from Redis at each scrape. */
export function exposeAudit(registry: Registry, { redis, keys }: Pick<IdentityContext, 'redis' | 'keys'>): void {
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
