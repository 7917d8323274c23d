import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import { type MeteredFigures, meter, type Rounds } from '../load/metered.ts';
import { alternate, type Contestant } from '../load/rounds.ts';
import { hasCaddy, startCaddy } from '../peers/caddy.ts';
import { hasHaproxy, startHaproxy } from '../peers/haproxy.ts';
import { hasNginx, startNginxProxy } from '../peers/nginx.ts';
import type { Front } from './front.ts';
import { JWT } from './gateway-process.ts';

/** Short rounds, so that each contestant runs in quiet and in busy moments of a shared machine. */
const SECONDS = 2;
const ROUNDS = { small: 11, large: 7 };

const WAYS = [
  'gateway',
  'post',
  'unlogged',
  'fastify',
  'http-proxy-middleware',
  'prepared-key',
  'nginx-auth',
  'nginx',
  'nginx-buffers',
  'caddy',
  'haproxy',
  'direct',
] as const;
export type Way = (typeof WAYS)[number];

export interface PeerResults {
  /** Figures per contestant, for responses of 127 bytes and of 100 KB. */
  small: Map<Way, MeteredFigures>;
  large: Map<Way, MeteredFigures>;
  /** Contestants that are not installed. */
  missing: Way[];
  rounds: Rounds;
}

/** A running proxy: its port, and the processes whose processor time counts for it. */
interface Runner {
  port: number;
  parts: string[];
}

/**
 * How much processor time does a request with a bearer token take in the gateway and in other proxies, with the same
 * upstream? Proxies on Node have the same Node version, flags and variables. `post` is a POST through the gateway,
 * `unlogged` the gateway without its access log, `direct` the upstream without a proxy.
 */
export async function measurePeers(front: Front): Promise<PeerResults> {
  const runners = await startRunners(front);
  const rounds: Rounds = { rounds: 0, disturbed: 0 };
  const measure = (size: 'small' | 'large') => {
    const contestants = [...runners].map(([name, { port, parts }]): Contestant<Way, MeteredFigures> => {
      const requests = [front.requests[name === 'post' ? 'post' : size]];
      const load = () => front.generator.load({ port, requests, seconds: SECONDS });
      return { name, run: () => meter(front.stage, parts, load, rounds) };
    });
    return alternate(
      contestants.filter(({ name }) => size === 'small' || name !== 'post'),
      ROUNDS[size],
    );
  };
  const results = { small: await measure('small'), large: await measure('large') };
  return { ...results, missing: WAYS.filter((way) => !runners.has(way)), rounds };
}

async function startRunners(front: Front): Promise<Map<Way, Runner>> {
  const { stage, upstreams, requests } = front;
  const runners = new Map<Way, Runner>();
  const add = (way: Way, port: number, ...more: string[]) => runners.set(way, { port, parts: [way, ...more] });
  const gatewayPort = await front.startGateway('gateway', 'quick');
  add('gateway', gatewayPort);
  runners.set('post', { port: gatewayPort, parts: ['gateway'] });
  add('unlogged', await front.startGateway('unlogged', 'quick', { LOG_LEVEL: 'warn' }));

  const env = { TARGET: `http://127.0.0.1:${upstreams.quick}`, ...JWT, ...NODE_ENVIRONMENT };
  const startNode = (name: string, file: string, more?: NodeJS.ProcessEnv) =>
    stage.startNode(name, `bench/peers/${file}`, { ...env, ...more }, requests.small, NODE_FLAGS);
  add('fastify', await startNode('fastify', 'fastify-http-proxy.ts'));
  add('http-proxy-middleware', await startNode('http-proxy-middleware', 'http-proxy-middleware.ts'));
  add('prepared-key', await startNode('prepared-key', 'http-proxy-middleware.ts', { PREPARED_KEY: '1' }));

  if (hasNginx) {
    const start = (name: Way, options = {}) => startNginxProxy(stage, name, upstreams.quick, requests.small, options);
    const authPort = await startNode('express-check', 'express-check.ts', { PREPARED_KEY: '1' });
    add('nginx-auth', await start('nginx-auth', { authPort }), 'express-check');
    add('nginx', await start('nginx'));
    // By default nginx buffers 32 KiB of a response and writes the rest to a file.
    add('nginx-buffers', await start('nginx-buffers', { directives: 'proxy_buffers 32 8k;' }));
  }
  if (hasCaddy) add('caddy', await startCaddy(stage, 'caddy', upstreams.quick, requests.small));
  if (hasHaproxy) add('haproxy', await startHaproxy(stage, 'haproxy', upstreams.quick, requests.small, JWT));
  runners.set('direct', { port: upstreams.quick, parts: [hasNginx ? 'nginx-upstream' : 'upstream'] });
  return runners;
}
