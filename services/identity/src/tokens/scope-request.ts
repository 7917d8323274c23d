import { isScope, narrow, type Scope } from '@agent-fleet/shared/contract/scopes';
import { invalidScope } from './contract.ts';

const OFFLINE_ACCESS = 'offline_access';

/** The `scope` of a token request. */
export interface ScopeRequest {
  /** Null: as many as there are. */
  scopes: readonly string[] | null;
  /** Whether a refresh token is asked for. */
  isOffline: boolean;
  /** Whether the request has the parameter at all; a blank one counts as none (RFC 6749 section 3.2). */
  isGiven: boolean;
}

export function parseScope(text = ''): ScopeRequest {
  const names = new Set(text.split(' ').filter((name) => name !== ''));
  const isGiven = names.size > 0;
  const isOffline = names.delete(OFFLINE_ACCESS);
  return { scopes: names.size > 0 ? [...names] : null, isOffline, isGiven };
}

/** @throws 400 `invalid_scope` when a scope is unknown or not among `allowed` */
export function grantScopes({ scopes }: ScopeRequest, allowed: readonly Scope[]): Scope[] {
  const granted = narrow(scopes === null ? allowed : scopes.filter(isScope), allowed);
  if (scopes !== null && granted.length < scopes.length) throw invalidScope();
  return granted;
}

/** The `scope` of the answer, which only a request with one gets. */
export function toGranted({ isGiven, isOffline }: ScopeRequest, granted: readonly Scope[]): { scope?: string } {
  if (!isGiven) return {};
  return { scope: [...granted, ...(isOffline ? [OFFLINE_ACCESS] : [])].join(' ') };
}
