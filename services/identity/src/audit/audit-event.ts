import type { AuditEntry } from '@agent-fleet/shared/identity/audit';
import { toAuditId } from './audit-id.ts';

/** An entry as Redis replies it. */
export type StreamEntry = [id: string, fields: string[]];

/** An entry as clients and the log have it. */
export interface AuditEvent extends AuditEntry {
  id: string;
  /** RFC 3339 in UTC. */
  at: string;
}

export function toAuditEvent([streamId, fields]: StreamEntry): AuditEvent {
  const { actor, action, target, outcome, address, request_id } = JSON.parse(fields[1] as string) as AuditEntry;
  const at = new Date(Number.parseInt(streamId, 10)).toISOString();
  return { id: toAuditId(streamId), at, actor, action, target, outcome, address, request_id };
}
