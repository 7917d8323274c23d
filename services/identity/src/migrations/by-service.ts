import type { AuditEntry } from '@agent-fleet/shared/identity/audit';

/** An audit entry of what the service does to a user at its start. */
export function byService(action: string, userId: string): AuditEntry {
  return {
    actor: { type: 'anonymous', id: null, name: null },
    action,
    target: { type: 'user', id: userId },
    outcome: 'success',
    address: null,
    request_id: null,
  };
}
