import { SCOPE_NAMES, type Scope } from '@agent-fleet/shared/contract/scopes';
import { forbidden, httpError } from '@agent-fleet/shared/http/errors';
import { type Caller, readCaller } from '@agent-fleet/shared/http/internal-access';
import type { Request } from 'express';

/** The scope for the keys of others. */
const ADMIN: Scope = 'users:admin';

/** Who manages keys, and the most that these may do. */
export interface Manager {
  /** Sees the keys of everybody. */
  isAdmin: boolean;
  scopes: readonly string[];
  agentIds: ReadonlySet<string> | undefined;
  /** The id of the user; null for other principals. */
  ownerId: string | null;
  /** The owner of the keys that the caller makes, as clients see it. */
  owner: string;
  /** The id of the key that the caller is. */
  keyId?: string;
}

/** The sender of a request as a manager of keys. @throws 403 `forbidden` */
export function managerOf(req: Request): Manager {
  return toManager(readCaller(req));
}

/**
 * The caller as a manager of keys. Other principals than users need `users:admin`: the keys that they make outlive
 * them.
 * Without a caller, the service trusts everybody (development).
 *
 * @throws 403 `forbidden`
 */
function toManager(caller: Caller | undefined): Manager {
  if (caller === undefined) {
    return { isAdmin: true, scopes: SCOPE_NAMES, agentIds: undefined, ownerId: null, owner: 'anonymous' };
  }
  const { type, id, name, principal, scopes, agentIds } = caller;
  const isAdmin = scopes.includes(ADMIN);
  if (type !== 'user' && !isAdmin) throw forbidden(ADMIN);
  const isUser = type === 'user';
  const owner = isUser ? { ownerId: id, owner: name } : { ownerId: null, owner: principal };
  return { isAdmin, scopes, agentIds, ...owner, ...(type === 'key' && { keyId: id }) };
}

/** Nobody gets a key for more than they have. @throws 403 `forbidden` that names the first missing scope */
export function requireNoMore(
  { scopes, agentIds }: Manager,
  key: { scopes: readonly Scope[]; agent_ids: readonly string[] | null },
): void {
  const missing = key.scopes.find((scope) => !scopes.includes(scope));
  if (missing !== undefined) throw forbidden(missing);
  if (agentIds === undefined) return;
  const isSubset = key.agent_ids?.every((id) => agentIds.has(id)) ?? false;
  if (!isSubset) throw httpError('forbidden', 'This key would see agents that the caller does not see');
}
