import type { AuditActor } from '@agent-fleet/access/audit';
import type { Scope } from '@agent-fleet/shared/contract/scopes';
import {
  ACTOR_ID_HEADER,
  ACTOR_NAME_HEADER,
  AGENTS_HEADER,
  OWNER_ID_HEADER,
  PRINCIPAL_HEADER,
  SCOPES_HEADER,
  SESSION_HEADER,
  toHeaderText,
} from '@agent-fleet/shared/http/internal-access';

/** Who sent a request, and what it may do. */
export interface Principal {
  /** As services get it: `user:<e-mail>`, `key:<name>`, `key:<id>` or `oidc:<issuer>:<sub>`. */
  principal: string;
  actor: AuditActor;
  scopes: ReadonlySet<Scope>;
  /** The names of the records that it depends on, as in the stream of changes. */
  tags: readonly string[];
  /** When the credential ends, in ms since the epoch: so do its event streams. Undefined: never. */
  expiresAtMs?: number;
  /** What `GET /protected` shows; only for a bearer token. */
  shownUser?: string;
  /** The limit of an API key; undefined: that of all principals. */
  rateLimitPerMinute?: number;
  /** The headers for services, names and values in turn. */
  headers: readonly string[];
}

interface Given {
  actor: { type: 'user' | 'key' | 'oidc'; id: string; name: string };
  /** What makes the principal unique, after its type. */
  uniqueName: string;
  scopes: readonly Scope[];
  tags?: readonly string[];
  agentIds?: readonly string[] | null;
  /** The user who owns the key. */
  ownerId?: string | undefined;
  sessionId?: string;
  shownUser?: string;
  rateLimitPerMinute?: number | null;
  expiresAtMs?: number;
}

export function toPrincipal(given: Given): Principal {
  const { actor, uniqueName, scopes, tags = [], agentIds, ownerId, sessionId, shownUser, rateLimitPerMinute } = given;
  const principal = `${actor.type}:${toHeaderText(uniqueName)}`;
  const headers = [PRINCIPAL_HEADER, principal, SCOPES_HEADER, scopes.join(' ')];
  headers.push(ACTOR_ID_HEADER, toHeaderText(actor.id), ACTOR_NAME_HEADER, toHeaderText(actor.name));
  if (agentIds) headers.push(AGENTS_HEADER, agentIds.map(toHeaderText).join(','));
  if (ownerId !== undefined) headers.push(OWNER_ID_HEADER, toHeaderText(ownerId));
  if (sessionId !== undefined) headers.push(SESSION_HEADER, toHeaderText(sessionId));
  const found: Principal = { principal, actor, scopes: new Set(scopes), tags, headers };
  if (shownUser !== undefined) found.shownUser = shownUser;
  if (rateLimitPerMinute) found.rateLimitPerMinute = rateLimitPerMinute;
  if (given.expiresAtMs !== undefined) found.expiresAtMs = given.expiresAtMs;
  return found;
}
