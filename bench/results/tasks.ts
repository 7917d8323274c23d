import type { Delivery } from '../fleet/delivery.ts';
import { type Waiting, WORKERS } from '../fleet/long-polls.ts';
import { TASK_WORK, type TaskWork } from '../fleet/tasks.ts';
import { CONNECTIONS, type Figures } from '../load/load.ts';
import { ratioVerdict, spaced, table, toMegabytes, verdict } from './markdown.ts';

const DELIVERY_AIM_MS = { p50: 5, p99: 30 };
/** A busy loop would use 100 %. */
const WAITING_AIM = { megabytes: 100, percent: 10 };

export function tasksSection(tasks: Map<TaskWork, Figures>): string {
  return `## Tasks: one agents process beside bare BullMQ

An agents process over HTTP, and a process that does the same on BullMQ without HTTP: same Redis, Node, flags, message and priority,
${CONNECTIONS} in flight. Over many agents the lease is by type, and BullMQ has as many queues.

${table(['what', 'agents', 'agents/s', 'BullMQ', 'BullMQ/s', 'agents is', 'aim', ''], toTaskRows(tasks))}`;
}

function toTaskRows(tasks: Map<TaskWork, Figures>): string[][] {
  return (['one', 'many'] as const).flatMap((count) =>
    Object.entries(TASK_WORK).map(([work, { what, peer, bare: against, aim }]) => {
      const name = work as keyof typeof TASK_WORK;
      const rates = [tasks.get(`agents ${name} ${count}`), tasks.get(`bullmq ${against} ${count}`)].map(
        (each) => each?.perSecond ?? Number.NaN,
      );
      const [own = 0, bare = 0] = rates;
      return [what, count, own.toFixed(0), peer, bare.toFixed(0), ...ratioVerdict(own / bare, aim)];
    }),
  );
}

export function deliverySection({ samples, p50Ms, p99Ms }: Delivery): string {
  const row = (name: string, ms: number, aimMs: number) => [name, ms.toFixed(1), ...verdict(ms <= aimMs, `≤ ${aimMs}`)];
  return `## From a created task to the lease of a worker that waits

Through the gateway, without other load: from before the request that creates the task is sent until the worker has the whole
response with its lease. ${samples} tasks, one every 50 ms.

${table(['', 'ms', 'aim', ''], [row('p50', p50Ms, DELIVERY_AIM_MS.p50), row('p99', p99Ms, DELIVERY_AIM_MS.p99)])}`;
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
