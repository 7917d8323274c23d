import type { Delivery } from '../fleet/delivery.ts';
import { type Waiting, WORKERS } from '../fleet/long-polls.ts';
import { TASK_SYSTEMS, type TaskSystem } from '../fleet/task-systems.ts';
import type { TaskResults, TaskWork } from '../fleet/tasks.ts';
import {
  DELTAS_PER_SECOND,
  ENTRIES_PER_SECOND,
  FOLLOWED,
  type Followed,
  SPOKEN,
  type Transcripts,
} from '../fleet/transcripts.ts';
import { CONNECTIONS } from '../load/load.ts';
import { describeRounds, spaced, table, toMegabytes, verdict } from './markdown.ts';

const NAMES: Record<TaskSystem, string> = {
  one: 'the agents service, one agent',
  many: 'the agents service, 1 000 agents',
  'fastify-bullmq': 'Fastify + BullMQ',
  'fastify-graphile-worker': 'Fastify + graphile-worker on PostgreSQL',
  bullmq: 'BullMQ without HTTP',
  'express-tasks': 'Express without a store',
};
/** Minimum ratio of the service's tasks per second of processor time to the peer's. */
const TASK_AIMS: Partial<Record<`${TaskWork} ${TaskSystem}`, number>> = {
  'create fastify-bullmq': 0.5,
  'life fastify-bullmq': 0.45,
  'create fastify-graphile-worker': 2.5,
  'life fastify-graphile-worker': 1.5,
};
const DELIVERY_AIM_MS = { p50: 4, p99: 15 };
const LIVE_TEXT_AIM_MS = 150;
/** A busy loop would use 100 %. */
const WAITING_AIM = { megabytes: 100, percent: 10 };

export function tasksSection({ figures, rounds }: TaskResults): string {
  return `## Tasks: one agents process beside other queues

Over HTTP, ${CONNECTIONS} requests in flight, the same message, priority and retention. The peers create, lease and complete tasks of one queue and
have none of our other features. Tasks per second of processor time of the process and its store together; Redis writes its file
every second, and PostgreSQL, over a Unix socket, commits as late (\`synchronous_commit=off\`), so that a crash of the machine may
lose what the last second wrote. Autovacuum starts every second, else PostgreSQL has its default settings. Processes of Node have
the same flags. Both rows of the service have to reach the aim. ${describeRounds(rounds)}

A task is created:

${toTaskTable(figures, 'create')}

A task is created, leased and completed:

${toTaskTable(figures, 'life')}`;
}

function toTaskTable(results: TaskResults['figures'], work: TaskWork): string {
  const usOf = (system: TaskSystem) => results.get(`${work} ${system}`)?.processorUs ?? Number.NaN;
  const rows = TASK_SYSTEMS.flatMap((system) => {
    const figures = results.get(`${work} ${system}`);
    if (!figures)
      return system === 'fastify-graphile-worker' ? [[NAMES[system], 'not installed', '', '', '', '', '']] : [];
    const cells = [NAMES[system], (1e6 / figures.processorUs).toFixed(0), figures.perSecond.toFixed(0)];
    if (system === 'one' || system === 'many') return [[...cells, '', '', '', '']];
    const ratios = (['one', 'many'] as const).map((own) => figures.processorUs / usOf(own));
    const aim = TASK_AIMS[`${work} ${system}`];
    const met = aim === undefined ? ['', ''] : verdict(Math.min(...ratios) >= aim, `≥ ${aim}×`);
    return [[...cells, ...ratios.map((ratio) => `${ratio.toFixed(2)}×`), ...met]];
  });
  return table(['', 'tasks/s of a core', 'tasks/s', 'one agent is', '1 000 agents are', 'aim', ''], rows);
}

export function deliverySection({ samples, p50Ms, p99Ms }: Delivery): string {
  const row = (name: string, ms: number, aimMs: number) => [name, ms.toFixed(1), ...verdict(ms <= aimMs, `≤ ${aimMs}`)];
  return `## From a created task to the lease of a worker that waits

Through the gateway, without other load: from before the request that creates the task is sent until the worker has the whole
response with its lease. ${samples} tasks, one every 50 ms.

${table(['', 'ms', 'aim', ''], [row('p50', p50Ms, DELIVERY_AIM_MS.p50), row('p99', p99Ms, DELIVERY_AIM_MS.p99)])}`;
}

export function transcriptsSection({ deltas, entries, percent }: Transcripts): string {
  const row = (name: string, { sent, received, p50Ms, p99Ms }: Followed) => [
    ...[name, spaced(sent), spaced(received), p50Ms.toFixed(1), p99Ms.toFixed(1)],
    ...verdict(received === sent && p99Ms <= LIVE_TEXT_AIM_MS, `all, p99 ≤ ${LIVE_TEXT_AIM_MS}`),
  ];
  return `## Transcripts that somebody follows, through one gateway and one agents process

From before the request of a worker until the follower has the text. The agents process needs ${percent.toFixed(0)} % of
one core for the entries; workers and followers are one process on the same machine.

${table(
  ['', 'sent', 'received', 'p50 ms', 'p99 ms', 'aim', ''],
  [
    row(`${SPOKEN} transcripts with ${DELTAS_PER_SECOND} live texts a second each`, deltas),
    row(`${spaced(FOLLOWED)} transcripts with ${ENTRIES_PER_SECOND} entries a second each`, entries),
  ],
)}`;
}

export function waitingSection(waiting: Waiting): string {
  return `## ${spaced(WORKERS)} workers that wait for tasks at one agents process

Each polls for 30 s, again and again. Processor time is over 10 s, in percent of one core.

${table(['', 'processor %', 'MB', 'aim', ''], toWaitingRows(waiting))}`;
}

function toWaitingRows({ idle, waiting }: Waiting): string[][] {
  const row = (name: string, percent: number, bytes: number) => [name, percent.toFixed(1), toMegabytes(bytes)];
  const percent = waiting.percent - idle.percent;
  const bytes = waiting.residentBytes - idle.residentBytes;
  const isMet = percent < WAITING_AIM.percent && bytes < WAITING_AIM.megabytes * 1e6;
  const aim = `< ${WAITING_AIM.percent} %, < ${WAITING_AIM.megabytes} MB`;
  return [
    [...row('no worker waits', idle.percent, idle.residentBytes), '', ''],
    [...row('all workers wait', waiting.percent, waiting.residentBytes), '', ''],
    [...row('difference', percent, bytes), ...verdict(isMet, aim)],
  ];
}
