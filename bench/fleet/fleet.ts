import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS, serviceNamed } from '@agent-fleet/scripts/services';
import { SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { INTERNAL_TOKEN, signIn, startGateway, startIdentity } from '../gateway/gateway-process.ts';
import type { LoadRequest } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import { type Client, createClient } from './client.ts';
import { createAgents } from './fill.ts';

/** One process of each service, started like by `npm start`, in production mode, with agents. */
export interface MeasuredFleet {
  ports: { gateway: number; agents: number; registry: number };
  /** Send the credentials that the gateway or the service requires. */
  clients: { gateway: Client; agents: Client };
  /** Starts another agents process on the same Redis, to which the gateway sends nothing; returns its port. */
  startAgents(name: string, env?: NodeJS.ProcessEnv): Promise<number>;
  bearer: Record<string, string>;
  /** Headers that a service requires from a client other than the gateway. */
  internal: Record<string, string>;
  agentIds: string[];
}

export async function startFleet(stage: Stage, agentCount: number): Promise<MeasuredFleet> {
  const common = { REDIS_URL: stage.redisUrl, INTERNAL_TOKEN, ...NODE_ENVIRONMENT };
  const start = (name: string, file: string, env: NodeJS.ProcessEnv) =>
    stage.startNode(name, file, { ...common, ...env }, { path: '/ready' }, NODE_FLAGS);
  const startAgents = (name: string, env: NodeJS.ProcessEnv = {}) => start(name, serviceNamed('agents').main, env);
  const [agents, registry] = await Promise.all([
    startAgents('agents'),
    start('registry', serviceNamed('registry').main, { DATA_DIR: join(stage.dir, 'registry') }),
  ]);
  const gateway = await startGateway(stage, 'gateway', { agents, registry });
  const bearer = await signIn(await startIdentity(stage));
  const internal = {
    'x-fleet-internal-token': INTERNAL_TOKEN,
    'x-fleet-principal': 'key:bench',
    'x-fleet-scopes': SCOPE_NAMES.join(' '),
  };
  const clients = {
    gateway: createClient(gateway, bearer, stage.signal),
    agents: createClient(agents, internal, stage.signal),
  };
  const agentIds = await createAgents(clients.gateway, agentCount, 'claude');
  return { ports: { gateway, agents, registry }, startAgents, clients, bearer, internal, agentIds };
}

/** `GET /agents/{id}` of each agent. */
export function readAgents({ agentIds }: MeasuredFleet, headers: Record<string, string>): LoadRequest[] {
  return agentIds.map((id) => ({ path: `/agents/${id}`, headers }));
}

/** `POST /agents`. */
export function createAgent({ bearer }: MeasuredFleet): LoadRequest {
  const headers = { ...bearer, 'content-type': 'application/json' };
  return {
    method: 'POST',
    path: '/agents',
    headers,
    body: '{"name":"Release notes writer","type":"claude"}',
    status: 201,
  };
}
