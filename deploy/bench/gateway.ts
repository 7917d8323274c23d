import { NODE_ENVIRONMENT, NODE_FLAGS } from '../launcher/services.ts';
import { type BenchFleet, readAgents } from './fleet.ts';
import type { Figures, LoadGenerator } from './load.ts';
import { startNginx } from './peers/nginx.ts';
import { alternate, type Contestant } from './rounds.ts';
import type { Stage } from './stage.ts';

/** Short and many, so that each has its share of the quiet and the busy moments of a shared machine. */
const SECONDS = 2;
const ROUNDS = 15;

export const PEERS = {
  'http-proxy-middleware': { what: 'http-proxy-middleware + jsonwebtoken', aim: 3.5 },
  'prepared-key': { what: 'the same, with its key prepared once', aim: undefined },
  fastify: { what: '@fastify/http-proxy, no authentication', aim: 1.25 },
  nginx: { what: 'nginx as a bare proxy', aim: 0.26 },
} as const;

export type Way = 'gateway' | 'unlogged' | 'direct' | keyof typeof PEERS;

/**
 * How fast is `GET /agents/{id}` with a bearer token through the gateway, beside other proxies to the same agents process? Each is
 * one process; those on Node have the same Node, flags and variables. `unlogged` is the gateway without its access log, as its peers
 * are; `direct` goes without a proxy. nginx is left out where it is not installed.
 */
export async function measureGateway(
  stage: Stage,
  fleet: BenchFleet,
  generator: LoadGenerator,
): Promise<Map<Way, Figures>> {
  // The gateway replaces what its clients send under this name; its peers pass it on.
  const headers = { ...fleet.bearer, ...fleet.internal };
  const requests = readAgents(fleet, headers);
  const ports = {
    gateway: fleet.ports.gateway,
    unlogged: await fleet.startGateway('unlogged', { LOG_LEVEL: 'warn' }),
    ...(await startPeers(stage, fleet, headers)),
    direct: fleet.ports.agents,
  };
  const contestants = Object.entries(ports).map(([name, port]): Contestant<Way> => {
    return { name: name as Way, run: () => generator.load({ port, requests, seconds: SECONDS }) };
  });
  return await alternate(contestants, ROUNDS);
}

async function startPeers(stage: Stage, { ports, agentIds, jwt }: BenchFleet, headers: Record<string, string>) {
  const ready = { path: `/agents/${agentIds[0]}`, headers };
  const env = { TARGET: `http://127.0.0.1:${ports.agents}`, ...jwt, ...NODE_ENVIRONMENT };
  const start = (name: keyof typeof PEERS, file: string, more?: NodeJS.ProcessEnv) =>
    stage.startNode(name, `deploy/bench/peers/${file}`, { ...env, ...more }, ready, NODE_FLAGS);
  const nginx = await startNginx(stage, ports.agents, ready);
  if (nginx === undefined) console.log('nginx is not installed (Debian: nginx-light): going on without it');
  return {
    'http-proxy-middleware': await start('http-proxy-middleware', 'http-proxy-middleware.ts'),
    'prepared-key': await start('prepared-key', 'http-proxy-middleware.ts', { PREPARED_KEY: '1' }),
    fastify: await start('fastify', 'fastify-http-proxy.ts'),
    ...(nginx && { nginx }),
  };
}
