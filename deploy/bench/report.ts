import { cpus, release, totalmem, type } from 'node:os';
import type { Delivery } from './delivery.ts';
import { PEERS, type Way } from './gateway.ts';
import { CONNECTIONS, type Figures } from './load.ts';
import type { ScaleResults } from './scale.ts';
import { TASK_WORK, type TaskWork } from './tasks.ts';
import { type Waiting, WORKERS } from './waiting.ts';

const MEMORY_AIM_MB = 150;
const DELIVERY_AIM_MS = { p50: 5, p99: 30 };
/** A busy loop would take 100 %. */
const WAITING_AIM = { megabytes: 100, percent: 10 };
const TASK_AIM_KIB = 4;
/** What another number of tasks may change. */
const FLAT_AIM = 0.3;
/** Begins what `npm run bench -- scale` writes, and the others leave as it is. */
const SCALE_HEADING = '\n# Results of `npm run bench -- scale`\n';

export interface Results {
  /** Load average at the start. */
  load: number;
  /** The load generator's name. */
  generator: string;
  ways: Map<Way, Figures>;
  operations: Map<string, Figures>;
  delivery: Delivery;
  waiting: Waiting;
  tasks: Map<TaskWork, Figures>;
  scale: ScaleResults;
  /** Resident bytes. */
  memory: Map<string, number>;
}

/** RESULTS.md. */
export function report(results: Results): string {
  const { load, generator, ways, operations, delivery, waiting, tasks, scale, memory } = results;
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

## Tasks: one agents process beside bare BullMQ

An agents process over HTTP, and a process that does the same on BullMQ and serves nobody: same Redis, Node, flags, message and priority,
${CONNECTIONS} in flight. Over many agents the lease is by type, and BullMQ has as many queues.

${table(['what', 'agents', 'agents/s', 'BullMQ', 'BullMQ/s', 'agents is', 'aim', ''], toTaskRows(tasks))}

## From a created task to the lease of a worker that waits

Through the gateway, while nothing else goes on: from before the request that creates the task is sent until the worker has the whole
answer with its lease. ${delivery.samples} tasks, one every 50 ms.

${table(
  ['', 'ms', 'aim', ''],
  [
    ['p50', delivery.p50Ms.toFixed(1), ...verdict(delivery.p50Ms <= DELIVERY_AIM_MS.p50, `≤ ${DELIVERY_AIM_MS.p50}`)],
    ['p99', delivery.p99Ms.toFixed(1), ...verdict(delivery.p99Ms <= DELIVERY_AIM_MS.p99, `≤ ${DELIVERY_AIM_MS.p99}`)],
  ],
)}

## ${number(WORKERS)} workers that wait for tasks at one agents process

Each waits 30 s and asks again. Processor time is over 10 s, in percent of one core.

${table(['', 'processor %', 'MB', 'aim', ''], toWaitingRows(waiting))}

## Resident memory after 200 000 requests to each service and all of the above

${table(
  ['process', 'MB', 'aim'],
  [...memory].map(([name, bytes]) => [name, (bytes / 1e6).toFixed(0), `< ${MEMORY_AIM_MB}`]),
)}

${scaleSection(scale)}
`;
}

/** RESULTS.md with its first part replaced, or the one of `npm run bench -- scale`. */
export function replacePart(file: string, { main, scale }: { main?: string; scale?: string }): string {
  const [oldMain = '', oldScale] = file.split(SCALE_HEADING);
  const last = scale ?? oldScale;
  return (main ?? oldMain) + (last === undefined ? '' : SCALE_HEADING + last);
}

/** What follows the heading of `npm run bench -- scale`. */
export function scaleReport(scale: ScaleResults): string {
  return `
${new Date().toISOString().slice(0, 10)}, ${machine()}, Node ${process.version}.

${scaleSection(scale)}
`;
}

function scaleSection({ small, large, costs, bytesPerTask }: ScaleResults): string {
  const memoryRow = (name: string, kind: keyof typeof bytesPerTask.small) => {
    const kibibytes = [bytesPerTask.small[kind] / 1024, bytesPerTask.large[kind] / 1024] as const;
    const isMet = Math.max(...kibibytes) <= TASK_AIM_KIB;
    return [name, ...kibibytes.map((each) => each.toFixed(1)), ...verdict(isMet, `≤ ${TASK_AIM_KIB}`)];
  };
  return `## The same cost with ${number(small)} and with ${number(large)} tasks

All are pending, ten for each agent. Processor time of the agents process and Redis for one request, or for the two of a lease and its
result; pages have 20 tasks and are from the middle.

${table(
  ['µs', number(small), number(large), 'is', 'aim', ''],
  [...costs].map(([name, cost]) => {
    const ratio = cost.large / cost.small;
    return [
      name,
      cost.small.toFixed(0),
      cost.large.toFixed(0),
      `${ratio.toFixed(2)}×`,
      ...verdict(ratio <= 1 + FLAT_AIM, `≤ ${1 + FLAT_AIM}×`),
    ];
  }),
)}

Redis' memory for a pending task with its queue, its events and its places in the indexes.

${table(
  ['KiB', number(small), number(large), 'aim', ''],
  [memoryRow('without tags', 'untagged'), memoryRow('with a tag that no other task of the agent has', 'tagged')],
)}`;
}

function toTaskRows(tasks: Map<TaskWork, Figures>): string[][] {
  return (['one', 'many'] as const).flatMap((count) =>
    Object.entries(TASK_WORK).map(([work, { what, peer, bare: against, aim }]) => {
      const name = work as keyof typeof TASK_WORK;
      const rates = [tasks.get(`agents ${name} ${count}`), tasks.get(`bullmq ${against} ${count}`)].map(
        (each) => each?.perSecond ?? Number.NaN,
      );
      const [own = 0, bare = 0] = rates;
      const ratio = own / bare;
      return [
        ...[what, count, own.toFixed(0), peer, bare.toFixed(0), `${ratio.toFixed(2)}×`],
        ...verdict(ratio >= aim, `≥ ${aim}×`),
      ];
    }),
  );
}

function toWaitingRows({ idle, waiting }: Waiting): string[][] {
  const row = (name: string, percent: number, megabytes: number) => [name, percent.toFixed(1), megabytes.toFixed(0)];
  const percent = waiting.percent - idle.percent;
  const megabytes = (waiting.residentBytes - idle.residentBytes) / 1e6;
  const isMet = percent < WAITING_AIM.percent && megabytes < WAITING_AIM.megabytes;
  const aim = `< ${WAITING_AIM.percent} %, < ${WAITING_AIM.megabytes} MB`;
  return [
    [...row('none waits', idle.percent, idle.residentBytes / 1e6), '', ''],
    [...row('they wait', waiting.percent, waiting.residentBytes / 1e6), '', ''],
    [...row('more', percent, megabytes), ...verdict(isMet, aim)],
  ];
}

/** The cells of an aim. */
function verdict(isMet: boolean, aim: string): string[] {
  return [aim, isMet ? 'met' : '**missed**'];
}

/** 1 000 000 */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
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
