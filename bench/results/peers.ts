import type { PeerResults, Way } from '../gateway/peers.ts';
import type { MeteredFigures } from '../load/metered.ts';
import { describeRounds, figureCells, table, verdict } from './markdown.ts';

const NAMES: Record<Way, string> = {
  gateway: 'the gateway',
  post: 'the gateway, a POST of 127 bytes',
  unlogged: 'the gateway without its access log',
  fastify: '@fastify/http-proxy + @fastify/jwt',
  'http-proxy-middleware': 'http-proxy-middleware + jsonwebtoken',
  'prepared-key': 'the same, its key prepared once',
  'nginx-auth': 'nginx + auth_request to an Express check with jsonwebtoken, its key prepared once',
  nginx: 'nginx, no authentication',
  'nginx-buffers': 'nginx with `proxy_buffers 32 8k`, no authentication',
  caddy: 'Caddy on one thread, no authentication',
  haproxy: 'HAProxy on one thread + jwt_verify',
  direct: 'no proxy: the upstream itself',
};
/** Maximum ratio of the processor time of a POST to that of a GET. */
const MAX_POST = 1.3;
/** Maximum ratio of the gateway's processor time per request to the peer's. */
const AIMS: Partial<Record<Way, number>> = {
  fastify: 0.6,
  'http-proxy-middleware': 0.3,
  'nginx-auth': 0.9,
  caddy: 1,
  haproxy: 2.5,
};

export function peersSection({ small, large, missing, rounds }: PeerResults): string {
  return `## The gateway beside other proxies

Processor time (user and system) of a request, in all processes of the proxy and of its authentication; the gateway's is divided by
the peer's. The gateway also counts for its rate limit in Redis, and writes an access log and metrics; no peer does. Peers on Node
have the gateway's flags. The log is a file in memory where the system has such a place. The upstream is nginx where that is
installed, else Node. ${describeRounds(rounds)}

A response of 127 bytes:

${toTable(small, missing, AIMS)}

A response of 100 KB, which is larger than the default buffers of nginx:

${toTable(large, missing, {})}`;
}

function toTable(ways: Map<Way, MeteredFigures>, missing: Way[], aims: Partial<Record<Way, number>>): string {
  const gatewayUs = ways.get('gateway')?.processorUs ?? Number.NaN;
  const rows = [...ways].map(([way, figures]) => {
    const cells = [NAMES[way], figures.processorUs.toFixed(0), ...figureCells(figures)];
    if (way === 'gateway' || way === 'unlogged') return [...cells, '', '', ''];
    if (way === 'post') return [...cells, ...ofGet(figures.processorUs / gatewayUs)];
    const ratio = gatewayUs / figures.processorUs;
    const aim = aims[way];
    return [...cells, `${ratio.toFixed(2)}×`, ...(aim === undefined ? ['', ''] : verdict(ratio <= aim, `≤ ${aim}×`))];
  });
  const absent = missing.map((way) => [NAMES[way], 'not installed', '', '', '', '', '', '']);
  const head = ['through', 'µs of processor time', 'requests/s', 'p50 ms', 'p99 ms', 'gateway is', 'aim', ''];
  return table(head, [...rows, ...absent]);
}

function ofGet(ratio: number): string[] {
  return [`${ratio.toFixed(2)}× of a GET`, ...verdict(ratio <= MAX_POST, `≤ ${MAX_POST}×`)];
}
