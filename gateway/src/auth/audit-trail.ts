import { type AuditEntry, appendAudit } from '@agent-fleet/access/audit';
import type { IdentityKeys } from '@agent-fleet/access/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import type { ReplicatedWrites } from '@agent-fleet/shared/redis/replicated-writes';
import { LRUCache } from 'lru-cache';
import type { RequestObserver } from '../observability/observe-requests.ts';
import { templateOf } from '../routing/routes.ts';

/** The same refusal again is recorded once in this time, so that a client cannot push others out of the trail. */
const REPEATED_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_UNWRITTEN = 1_000;

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** What the gateway adds to the audit trail: refused credentials that belonged to somebody, and missing scopes. */
export function createAuditTrail(writes: ReplicatedWrites, keys: IdentityKeys, logger: Logger) {
  const recent = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REPEATED_MS });
  let unwritten = 0;

  return {
    /** Never rejects, and nothing waits for it. */
    record(
      entry: Pick<AuditEntry, 'actor' | 'action' | 'target' | 'outcome'>,
      { locals }: { locals: Express.Locals },
    ): void {
      const { actor, action, target } = entry;
      const name = JSON.stringify([actor.id, action, target, locals.clientAddress]);
      if (entry.outcome === 'failure') {
        if (recent.has(name)) return;
        recent.set(name, true);
      }
      const full = { ...entry, address: locals.clientAddress ?? null, request_id: locals.requestId };
      if (unwritten >= MAX_UNWRITTEN) {
        logger.warn({ entry: full }, 'failed to write to the audit trail');
        return;
      }
      unwritten++;
      appendAudit(writes, keys.audit, full)
        .catch((error: unknown) => logger.warn({ err: error, entry: full }, 'failed to write to the audit trail'))
        .finally(() => {
          unwritten--;
        });
    },
  };
}

/** Records the requests that a service has refused for want of a scope. */
export function recordMissingScopes(audit: AuditTrail): RequestObserver {
  return (requests) => {
    for (const { method, locals } of requests) {
      const { caller, serviceRejection } = locals;
      if (serviceRejection?.rejectedBy !== 'scope' || !caller) continue;
      const target = { type: 'operation', id: `${method} ${templateOf(locals)}` };
      audit.record({ actor: caller.actor, action: 'access.refused', target, outcome: 'failure' }, { locals });
    }
  };
}
