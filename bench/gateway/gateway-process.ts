import { randomBytes } from 'node:crypto';
import {
  NODE_ENVIRONMENT,
  NODE_FLAGS,
  serviceNamed,
  type UpstreamName,
  upstreamVariables,
} from '@agent-fleet/scripts/services';
import type { Stage } from '../stage/stage.ts';

const ADMIN = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: randomBytes(15).toString('base64url') };
export const JWT = {
  JWT_ISSUER: 'agent-fleet',
  JWT_AUDIENCE: 'agent-fleet',
  JWT_SECRET: randomBytes(48).toString('base64url'),
};
export const INTERNAL_TOKEN = randomBytes(32).toString('base64url');

/**
 * Starts a gateway with one process in front of services on these ports, and returns its port. The rate limit is on,
 * but out of reach. A service without a port has the port of the agents service.
 */
export function startGateway(
  stage: Stage,
  name: string,
  services: { agents: number } & Partial<Record<UpstreamName, number>>,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const own = {
    ...NODE_ENVIRONMENT,
    ...ADMIN,
    ...JWT,
    INTERNAL_TOKEN,
    REDIS_URL: stage.redisUrl,
    ...upstreamVariables((name) => `http://127.0.0.1:${services[name] ?? services.agents}`),
    METRICS_PORT: '0',
    GATEWAY_PROCESSES: '1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    SIGN_IN_LIMIT_PER_MINUTE: '0',
    ACCESS_TOKEN_TTL_SECONDS: '86400',
  };
  return stage.startNode(name, serviceNamed('gateway').main, { ...own, ...env }, { path: '/ready' }, NODE_FLAGS);
}

/** Signs in as the first user, which all gateways of `startGateway` share; returns the request headers. */
export async function signIn(gateway: number): Promise<Record<string, string>> {
  const body = new URLSearchParams({ username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  const response = await fetch(`http://127.0.0.1:${gateway}/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`POST /token: ${response.status} ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { authorization: `Bearer ${token}` };
}
