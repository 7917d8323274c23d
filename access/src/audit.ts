import type { ReplicatedWrites } from '@agent-fleet/shared/redis/replicated-writes';

/** Who did something: `id` is that of the user or key, `name` the e-mail address or the name of the key. */
export interface AuditActor {
  type: 'user' | 'key' | 'oidc' | 'anonymous';
  id: string | null;
  name: string | null;
}

/** An entry of the audit trail, without its id and time. It has no secret, token, password or body. */
export interface AuditEntry {
  actor: AuditActor;
  /** Such as `user.created`, `token.refused`, `agent.deleted`. */
  action: string;
  target: { type: string; id: string } | null;
  outcome: 'success' | 'failure';
  /** IP address of the client. */
  address: string | null;
  request_id: string | null;
  /** What was decided, such as `{tool, digest, decision}` of an approval. */
  details?: Readonly<Record<string, string>>;
}

/** Far above what identity keeps: a bound while it is unavailable and does not trim. */
export const MAX_UNTRIMMED = 1_000_000;
/** Texts that clients chose are cut to this length. */
const MAX_TEXT = 320;

/** The entry as it is stored. */
export function toAuditJson({ actor, target, ...entry }: AuditEntry): string {
  const shortened = {
    ...entry,
    actor: { ...actor, name: shorten(actor.name) },
    target: target && { ...target, id: shorten(target.id) },
  };
  return JSON.stringify(shortened);
}

/** The fields of the entry in the stream. */
export function toAuditFields(entry: AuditEntry): string[] {
  return ['e', toAuditJson(entry)];
}

/** Appends an entry to the audit trail, `stream` of the identity keys. Only identity removes entries. */
export async function appendAudit(writes: ReplicatedWrites, stream: string, entry: AuditEntry): Promise<void> {
  await writes.run((redis) => redis.xadd(stream, 'MAXLEN', '~', MAX_UNTRIMMED, '*', ...toAuditFields(entry)));
}

function shorten(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_TEXT).toWellFormed();
}
