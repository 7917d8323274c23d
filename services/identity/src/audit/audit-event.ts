import type { AuditEntry } from '@agent-fleet/access/audit';

/** A UUIDv7 (RFC 9562 section 5.7) whose 74 bits after the time are below 2^64. */
const AUDIT_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7(00[0-3])-([89ab])([0-9a-f]{3})-([0-9a-f]{12})$/;
const LOW_BITS = 62n;
const LOW_MASK = (1n << LOW_BITS) - 1n;
/** The two bits of the variant, before the low bits. */
const VARIANT = 0b10n << LOW_BITS;

/** An entry as Redis replies it. */
export type StreamEntry = [id: string, fields: string[]];

/** An entry as clients and the log have it. */
export interface AuditEvent extends AuditEntry {
  id: string;
  /** RFC 3339 in UTC. */
  at: string;
}

export function toAuditEvent([streamId, fields]: StreamEntry): AuditEvent {
  const { actor, action, target, outcome, address, request_id, details } = JSON.parse(
    fields[1] as string,
  ) as AuditEntry;
  const at = new Date(Number.parseInt(streamId, 10)).toISOString();
  return {
    id: toAuditId(streamId),
    at,
    actor,
    action,
    target,
    outcome,
    address,
    request_id,
    ...(details && { details }),
  };
}

/**
 * The id of an entry as clients see it: the id of the stream, `<ms>-<sequence>`, as a UUIDv7 with the sequence in the
 * bits after the time. The ids sort as the stream does, and each belongs to one entry only.
 */
export function toAuditId(streamId: string): string {
  const [ms = '', sequence = ''] = streamId.split('-');
  const time = BigInt(ms).toString(16).padStart(12, '0');
  const high = (BigInt(sequence) >> LOW_BITS).toString(16).padStart(3, '0');
  const low = (VARIANT | (BigInt(sequence) & LOW_MASK)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}`;
}

/** The id in the stream; undefined when no entry can have this id. */
export function toStreamId(auditId: string): string | undefined {
  const [, start, end, high, variant, middle, last] = AUDIT_ID.exec(auditId) ?? [];
  if (start === undefined) return undefined;
  const low = BigInt(`0x${variant}${middle}${last}`) & LOW_MASK;
  const sequence = (BigInt(`0x${high}`) << LOW_BITS) | low;
  return `${Number.parseInt(`${start}${end}`, 16)}-${sequence}`;
}
