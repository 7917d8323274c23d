import type { ApiKeyRecord } from '@agent-fleet/access/records';
import { type FieldError, httpError, semanticError } from '@agent-fleet/shared/http/errors';
import { createId, timeOfId } from '@agent-fleet/shared/ids';
import { MAX_KEY_LIFE_MS } from '../stores/api-key-store.ts';
import { type ApiKeyInput, requestedScopes } from './fields.ts';
import type { Manager } from './manager.ts';

const DEFAULT_LIFE_MS = 90 * 86_400_000;

/** Far more than anybody needs; each is checked at every look-up. */
const MAX_PARENTS = 5;

/**
 * Builds the record of a key that is made at `nowMs`. One that another key makes has its owner, and none of its limits
 * is wider. @throws 422 `semantic_error` for an impossible expiry, 403 for too many keys that made each other
 */
export function toRecord(
  input: ApiKeyInput,
  { ownerId, owner }: Manager,
  parent: ApiKeyRecord | undefined,
  hash: string,
  nowMs: number,
): ApiKeyRecord {
  const id = createId(nowMs);
  const lastMs = parent ? Date.parse(parent.expires_at) : Number.POSITIVE_INFINITY;
  const expires_at = input.expires_at ?? new Date(Math.min(nowMs + DEFAULT_LIFE_MS, lastMs)).toISOString();
  const problem = findProblem(Date.parse(expires_at), nowMs, lastMs);
  if (problem) throw semanticError(problem);
  return {
    id,
    name: input.name,
    scopes: requestedScopes(input),
    agent_ids: input.agent_ids ? [...new Set(input.agent_ids)] : null,
    owner_id: parent ? parent.owner_id : ownerId,
    owner: parent?.owner ?? owner,
    parents: toParents(parent),
    created_at: timeOfId(id).toISOString(),
    expires_at,
    rate_limit_per_minute: lower(input.rate_limit_per_minute ?? null, parent?.rate_limit_per_minute ?? null),
    hash,
    previous: [],
  };
}

function toParents(parent: ApiKeyRecord | undefined): string[] {
  if (!parent) return [];
  if (parent.parents.length < MAX_PARENTS) return [...parent.parents, parent.id];
  throw httpError('quota_exceeded', `A key may have ${MAX_PARENTS} keys that made each other`);
}

/** The lower limit; null is none. */
function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function findProblem(expiresMs: number, nowMs: number, lastMs: number): FieldError | undefined {
  const path = 'expires_at';
  if (expiresMs <= nowMs) return { path, code: 'in_the_past', message: 'is in the past' };
  if (expiresMs > lastMs)
    return { path, code: 'too_far_ahead', message: 'is later than that of the key that makes it' };
  if (expiresMs > nowMs + MAX_KEY_LIFE_MS)
    return { path, code: 'too_far_ahead', message: 'is more than 366 days ahead' };
  return undefined;
}
