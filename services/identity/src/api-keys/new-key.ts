import { type FieldError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import { createId, timeOfId } from '../ids.ts';
import { type ApiKeyInput, requestedScopes } from './fields.ts';
import type { Manager } from './manager.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFE_MS = 90 * DAY_MS;
export const MAX_LIFE_MS = 366 * DAY_MS;

/** Builds the record of a key that is made at `nowMs`. @throws 422 `semantic_error` for an impossible expiry */
export function toRecord(input: ApiKeyInput, { ownerId, owner }: Manager, hash: string, nowMs: number): ApiKeyRecord {
  const id = createId(nowMs);
  const expires_at = input.expires_at ?? new Date(nowMs + DEFAULT_LIFE_MS).toISOString();
  const problem = findProblem(Date.parse(expires_at), nowMs);
  if (problem) throw semanticError(problem);
  return {
    id,
    name: input.name,
    scopes: requestedScopes(input),
    agent_ids: input.agent_ids ? [...new Set(input.agent_ids)] : null,
    owner_id: ownerId,
    owner,
    created_at: timeOfId(id).toISOString(),
    expires_at,
    rate_limit_per_minute: input.rate_limit_per_minute ?? null,
    hash,
    previous: [],
  };
}

function findProblem(expiresMs: number, nowMs: number): FieldError | undefined {
  const path = 'expires_at';
  if (expiresMs <= nowMs) return { path, code: 'in_the_past', message: 'is in the past' };
  if (expiresMs > nowMs + MAX_LIFE_MS) return { path, code: 'too_far_ahead', message: 'is more than 366 days ahead' };
  return undefined;
}

function semanticError(problem: FieldError): HttpError {
  return httpError('semantic_error', `${problem.path}: ${problem.message}`, { fields: [problem] });
}
