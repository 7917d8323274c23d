import type { ProxyResults, Way } from '../gateway/peers.ts';
import type { Figures } from '../load/load.ts';
import { figureCells, ratioVerdict, table } from './markdown.ts';

const NAMES: Record<Way, string> = {
  gateway: 'the gateway',
  unlogged: 'the gateway without its access log',
  'http-proxy-middleware': 'http-proxy-middleware + jsonwebtoken',
  'prepared-key': 'the same, with its key prepared once',
  fastify: '@fastify/http-proxy, no authentication',
  nginx: 'nginx as a bare proxy',
  'nginx-buffers': 'nginx, `proxy_buffers 32 8k`',
  direct: 'nothing: the upstream itself',
};
type Aims = Partial<Record<Way, number>>;
const SMALL_AIMS: Aims = { 'http-proxy-middleware': 3.5, fastify: 1.4, nginx: 0.3 };
const LARGE_AIMS: Aims = { nginx: 0.6 };

export function proxiesSection({ small, large }: ProxyResults): string {
  return `## One gateway process beside other proxies

The gateway checks a bearer token and counts for its rate limit in Redis; no peer does the latter, none writes an access log or metrics.
Each is one process; those on Node have the same flags. The log is a file in memory where the system has such a place. The upstream is nginx,
which has the answers at hand, or Node where nginx is not installed.

An answer of 127 bytes:

${toTable(small, SMALL_AIMS)}

An answer of 100 KB, for which nginx has no room in the buffers that it has by default:

${toTable(large, LARGE_AIMS)}`;
}

function toTable(ways: Map<Way, Figures>, aims: Aims): string {
  const rate = (way: Way) => ways.get(way)?.perSecond ?? Number.NaN;
  const rows = [...ways].map(([way, figures]) => {
    const cells = [NAMES[way], ...figureCells(figures)];
    if (way === 'gateway' || way === 'unlogged') return [...cells, '', '', '', ''];
    const unlogged = `${(rate('unlogged') / figures.perSecond).toFixed(2)}×`;
    const [ratio = '', ...met] = ratioVerdict(rate('gateway') / figures.perSecond, aims[way] ?? 0);
    return [...cells, unlogged, ratio, ...(aims[way] === undefined ? ['', ''] : met)];
  });
  return table(['through', 'requests/s', 'p50 ms', 'p99 ms', 'without its log', 'gateway is', 'aim', ''], rows);
}
