import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import type { Figures } from '../load/load.ts';
import { alternate, type Contestant } from '../load/rounds.ts';
import { hasNginx, startNginxProxy } from '../peers/nginx.ts';
import type { Front } from './front.ts';
import { JWT } from './gateway-process.ts';

/** Short and many, so that each has its share of the quiet and the busy moments of a shared machine. */
const SECONDS = 2;
const ROUNDS = { small: 11, large: 7 };

type Peer = 'http-proxy-middleware' | 'prepared-key' | 'fastify' | 'nginx' | 'nginx-buffers';
export type Way = 'gateway' | 'unlogged' | Peer | 'direct';

/** Figures by way, for an answer of 127 bytes and for one of 100 KB. */
export interface ProxyResults {
  small: Map<Way, Figures>;
  large: Map<Way, Figures>;
}

/**
 * How fast is the gateway with a bearer token, beside other proxies to the same upstream? Each is one process; those on Node have the same
 * Node, flags and variables. `unlogged` is the gateway without its access log, as its peers are; `direct` goes without a proxy. nginx is
 * left out where it is not installed.
 */
export async function measureProxies(front: Front): Promise<ProxyResults> {
  const { generator, upstreams, requests } = front;
  const gateway = await front.startGateway('gateway', 'quick');
  const unlogged = await front.startGateway('unlogged', 'quick', { LOG_LEVEL: 'warn' });
  const ports: Partial<Record<Way, number>> = {
    gateway,
    unlogged,
    ...(await startNodePeers(front)),
    ...(await startNginxPeers(front)),
    direct: upstreams.quick,
  };
  const measure = (size: 'small' | 'large') =>
    alternate(
      Object.entries(ports).map(([name, port]): Contestant<Way> => {
        const load = { port, requests: [requests[size]], seconds: SECONDS };
        return { name: name as Way, run: () => generator.load(load) };
      }),
      ROUNDS[size],
    );
  return { small: await measure('small'), large: await measure('large') };
}

async function startNodePeers({ stage, upstreams, requests }: Front) {
  const env = { TARGET: `http://127.0.0.1:${upstreams.quick}`, ...JWT, ...NODE_ENVIRONMENT };
  const start = (name: Peer, file: string, more?: NodeJS.ProcessEnv) =>
    stage.startNode(name, `bench/peers/${file}`, { ...env, ...more }, requests.small, NODE_FLAGS);
  return {
    'http-proxy-middleware': await start('http-proxy-middleware', 'http-proxy-middleware.ts'),
    'prepared-key': await start('prepared-key', 'http-proxy-middleware.ts', { PREPARED_KEY: '1' }),
    fastify: await start('fastify', 'fastify-http-proxy.ts'),
  };
}

/** By its defaults nginx has buffers for 32 KiB of an answer, and writes what is more into a file. */
async function startNginxPeers({ stage, upstreams, requests }: Front) {
  if (!hasNginx) {
    console.log('nginx is not installed (Debian: nginx-light): going on without it');
    return {};
  }
  const start = (name: Peer, directives?: string) =>
    startNginxProxy(stage, name, upstreams.quick, requests.small, directives);
  return { nginx: await start('nginx'), 'nginx-buffers': await start('nginx-buffers', 'proxy_buffers 32 8k;') };
}
