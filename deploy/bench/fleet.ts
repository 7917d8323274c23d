import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../launcher/services.ts';
import { type Client, createClient } from './client.ts';
import { createAgents } from './fill.ts';
import type { LoadRequest } from './load.ts';
import type { Stage } from './stage.ts';

const ADMIN = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: randomBytes(15).toString('base64url') };
const JWT = {
  JWT_ISSUER: 'agent-fleet',
  JWT_AUDIENCE: 'agent-fleet',
  JWT_SECRET: randomBytes(48).toString('base64url'),
};
const INTERNAL_TOKEN = randomBytes(32).toString('base64url');

/** The real processes, one of each, as `npm start` runs them, in production mode and with agents in them. */
export interface BenchFleet {
  ports: { gateway: number; agents: number; registry: number };
  /** With the credentials that they want. */
  clients: { gateway: Client; agents: Client };
  /** Starts another gateway before the same services, with these variables changed; gives its port. */
  startGateway(name: string, env: NodeJS.ProcessEnv): Promise<number>;
  /** Starts another agents process on the same Redis, which the gateway does not know; gives its port. */
  startAgents(name: string): Promise<number>;
  /** What verifies the tokens of this fleet. */
  jwt: typeof JWT;
  bearer: Record<string, string>;
  /** What a service wants to see when not the gateway calls it. */
  internal: Record<string, string>;
  agentIds: string[];
}

export async function startFleet(stage: Stage, agentCount: number): Promise<BenchFleet> {
  const common = { REDIS_URL: stage.redisUrl, INTERNAL_TOKEN, ...NODE_ENVIRONMENT };
  const start = (name: string, file: string, env: NodeJS.ProcessEnv) =>
    stage.startNode(name, file, { ...common, ...env }, { path: '/ready' }, NODE_FLAGS);
  const startAgents = (name: string) => start(name, 'services/agents/src/main.ts', {});
  const [agents, registry] = await Promise.all([
    startAgents('agents'),
    start('registry', 'services/registry/src/main.ts', { DATA_DIR: join(stage.dir, 'registry') }),
  ]);
  const startGateway = (name: string, env: NodeJS.ProcessEnv) =>
    start(name, 'gateway/src/main.ts', {
      ...ADMIN,
      ...JWT,
      AGENTS_URL: `http://127.0.0.1:${agents}`,
      REGISTRY_URL: `http://127.0.0.1:${registry}`,
      METRICS_PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      ACCESS_TOKEN_TTL_SECONDS: '86400',
      ...env,
    });
  const gateway = await startGateway('gateway', {});
  const bearer = { authorization: `Bearer ${await signIn(gateway)}` };
  const internal = { 'x-fleet-internal-token': INTERNAL_TOKEN };
  const clients = {
    gateway: createClient(gateway, bearer, stage.signal),
    agents: createClient(agents, internal, stage.signal),
  };
  const agentIds = await createAgents(clients.gateway, agentCount, 'claude');
  return {
    ports: { gateway, agents, registry },
    startGateway,
    startAgents,
    clients,
    jwt: JWT,
    bearer,
    internal,
    agentIds,
  };
}

/** `GET /agents/{id}` of each agent. */
export function readAgents({ agentIds }: BenchFleet, headers: Record<string, string>): LoadRequest[] {
  return agentIds.map((id) => ({ path: `/agents/${id}`, headers }));
}

/** `POST /agents`. */
export function createAgent({ bearer }: BenchFleet): LoadRequest {
  const headers = { ...bearer, 'content-type': 'application/json' };
  return {
    method: 'POST',
    path: '/agents',
    headers,
    body: '{"name":"Release notes writer","type":"claude"}',
    status: 201,
  };
}

async function signIn(gateway: number): Promise<string> {
  const body = new URLSearchParams({ username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD });
  const answer = await fetch(`http://127.0.0.1:${gateway}/token`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`POST /token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}
