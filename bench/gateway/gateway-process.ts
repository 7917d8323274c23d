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
 * Starts a gateway in front of services on these ports, and returns its port. The rate limit is on,
 * but out of reach. A service without a port has the port of the agents service.
 */
export function startGateway(
  stage: Stage,
  name: string,
  services: { agents: number } & Partial<Record<UpstreamName, number>>,
  env: NodeJS.ProcessEnv = {},
  main: string = serviceNamed('gateway').main,
): Promise<number> {
  const own = {
    ...NODE_ENVIRONMENT,
    // Read by gateways of earlier commits.
    ...{ ...ADMIN, GATEWAY_PROCESSES: '1' },
    ...JWT,
    INTERNAL_TOKEN,
    REDIS_URL: stage.redisUrl,
    ...upstreamVariables((name) => `http://127.0.0.1:${services[name] ?? services.agents}`),
    METRICS_PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    SIGN_IN_LIMIT_PER_MINUTE: '0',
  };
  return stage.startNode(name, main, { ...own, ...env }, { path: '/ready' }, NODE_FLAGS);
}

/** Starts identity, whose users and tokens all gateways of `startGateway` share, and returns its port. */
export function startIdentity(stage: Stage): Promise<number> {
  const own = { ...NODE_ENVIRONMENT, ...ADMIN, ...JWT, INTERNAL_TOKEN, REDIS_URL: stage.redisUrl };
  const env = { ...own, ACCESS_TOKEN_TTL_SECONDS: '86400', SIGN_IN_FAILURES_PER_ACCOUNT: '0' };
  return stage.startNode('identity', serviceNamed('identity').main, env, { path: '/ready' }, NODE_FLAGS);
}

/** The request of a sign-in, for a connection of its own. */
export function signInText(): string {
  const body = String(new URLSearchParams({ username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD }));
  const headers = [
    'Host: identity',
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Fleet-Internal-Token: ${INTERNAL_TOKEN}`,
  ];
  return `POST /token HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Signs in as the first user; returns the request headers. */
export async function signIn(identity: number): Promise<Record<string, string>> {
  const body = new URLSearchParams({ username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  const headers = { 'x-fleet-internal-token': INTERNAL_TOKEN };
  const response = await fetch(`http://127.0.0.1:${identity}/token`, { method: 'POST', body, headers });
  if (!response.ok) throw new Error(`POST /token: ${response.status} ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { authorization: `Bearer ${token}` };
}
