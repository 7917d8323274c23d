import { SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import supertest from 'supertest';
import { createClient } from './client.ts';

interface CallerOptions {
  /** Default: all. */
  scopes?: readonly string[];
  /** The only agents that an API key may see. */
  agents?: readonly string[];
  name?: string;
}

/** The headers that the gateway sends for a principal. */
export function callerHeaders(principal: string, { scopes = SCOPE_NAMES, agents, name }: CallerOptions = {}) {
  return {
    'x-fleet-principal': principal,
    'x-fleet-scopes': scopes.join(' '),
    'x-fleet-actor-id': `id-of-${principal}`,
    'x-fleet-actor-name': name ?? principal.slice(principal.indexOf(':') + 1),
    ...(agents && { 'x-fleet-agents': agents.join(',') }),
  };
}

/** A client of the service at `url` whose requests are those of a principal. */
export function connectAs(url: string, principal: string, options?: CallerOptions) {
  const headers = callerHeaders(principal, options);
  const http = supertest.agent(url).set(headers);
  return { ...createClient(http), http, headers };
}
