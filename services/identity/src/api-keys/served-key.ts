import type { EnvironmentKey } from '@agent-fleet/shared/identity/environment-keys';
import type { ApiKeyRecord, UserRecord } from '@agent-fleet/shared/identity/records';
import { narrow, type Scope, scopesOf } from '@agent-fleet/shared/identity/scopes';
import type { ApiKey } from './fields.ts';

/** A key as clients see it. `owner`: the user whose role bounds it, if it belongs to a user. */
export function toServed(record: ApiKeyRecord, owner: UserRecord | undefined, usedMs: number | null): ApiKey {
  const { id, name, agent_ids, created_at, expires_at, rate_limit_per_minute } = record;
  return {
    id,
    name,
    scopes: effectiveScopes(record, owner),
    agent_ids,
    owner: record.owner,
    source: 'api',
    created_at,
    expires_at,
    last_used_at: toTime(usedMs),
    rate_limit_per_minute,
  };
}

export function toServedEnvironmentKey({ id, name, role }: EnvironmentKey, usedMs: number | null): ApiKey {
  return {
    id,
    name,
    scopes: [...scopesOf(role)],
    agent_ids: null,
    owner: null,
    source: 'environment',
    created_at: null,
    expires_at: null,
    last_used_at: toTime(usedMs),
    rate_limit_per_minute: null,
  };
}

/** As the gateway enforces it: a key can do nothing once its owner is disabled or deleted. */
function effectiveScopes({ scopes, owner_id }: ApiKeyRecord, owner: UserRecord | undefined): Scope[] {
  if (owner_id === null) return scopes;
  return owner === undefined || owner.disabled ? [] : narrow(scopes, scopesOf(owner.role));
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
