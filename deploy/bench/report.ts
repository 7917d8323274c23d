import { cpus, release, totalmem, type } from 'node:os';
import { PEERS, type Way } from './gateway.ts';
import { CONNECTIONS, type Figures } from './load.ts';

const MEMORY_AIM_MB = 150;

export interface Results {
  /** Load average at the start. */
  load: number;
  /** The load generator's name. */
  generator: string;
  ways: Map<Way, Figures>;
  operations: Map<string, Figures>;
  /** Resident bytes. */
  memory: Map<string, number>;
}

/** RESULTS.md. */
export function report({ load, generator, ways, operations, memory }: Results): string {
  return `# Results of \`npm run bench\`

Only the ratios mean anything elsewhere: load generator, Redis and all processes share one machine. Figures are medians of rounds that
alternate between the rows, after a warm-up, over ${CONNECTIONS} connections that are always busy, so a latency is that of a full queue.

${table(
  ['', ''],
  [
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Machine', machine()],
    ['Node', process.version],
    ['Load generator', generator],
    ['Load average at the start', load.toFixed(2)],
  ],
)}

## \`GET /agents/{id}\` with a bearer token, to one agents process

Each is one process; those on Node have the same flags. No peer writes an access log or metrics. The log is
a file in memory where the system has such a place.

${table(
  ['through', 'requests/s', 'p50 ms', 'p99 ms', 'gateway is', 'without its log', 'aim'],
  [...ways].map(toWayRow(ways)),
)}

## Operations through the gateway

${table(
  ['operation', 'requests/s', 'p50 ms', 'p99 ms'],
  [...operations].map(([name, figures]) => [`\`${name}\``, ...cells(figures)]),
)}

## Resident memory after 200 000 requests to each service and all of the above

${table(
  ['process', 'MB', 'aim'],
  [...memory].map(([name, bytes]) => [name, (bytes / 1e6).toFixed(0), `< ${MEMORY_AIM_MB}`]),
)}
`;
}

function toWayRow(ways: Map<Way, Figures>) {
  const ratio = (way: Way, { perSecond }: Figures) =>
    `${((ways.get(way)?.perSecond ?? Number.NaN) / perSecond).toFixed(2)}×`;
  return ([way, figures]: [Way, Figures]): string[] => {
    if (way === 'gateway') return ['the gateway', ...cells(figures), '', '', ''];
    if (way === 'unlogged') return ['the gateway without its access log', ...cells(figures), '', '', ''];
    const compared = [...cells(figures), ratio('gateway', figures), ratio('unlogged', figures)];
    if (way === 'direct') return ['nothing: the agents process itself', ...compared, ''];
    const { what, aim } = PEERS[way];
    return [what, ...compared, aim === undefined ? '' : `≥ ${aim}×`];
  };
}

function cells({ perSecond, p50Ms, p99Ms }: Figures): string[] {
  return [String(Math.round(perSecond)), p50Ms.toFixed(1), p99Ms.toFixed(1)];
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}`;
}
