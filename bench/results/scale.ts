import { READ_AGENT, READ_STATS, type ScaleResults } from '../fleet/scale.ts';
import { spaced, table, verdict } from './markdown.ts';

const TASK_AIM_KIB = { untagged: 2, tagged: 4 };
const SCRIPT_AIM_MS = 2;
/** Maximum relative increase of the cost with more tasks. */
const FLAT_AIM = 0.3;
/** Maximum cost of the statistics as a multiple of reading one agent. */
const STATS_AIM = 2;

export function scaleSection({ tasks, costs, bytesPerTask }: ScaleResults): string {
  const [small, large] = [spaced(tasks.small), spaced(tasks.large)];
  const memoryRow = (name: string, kind: keyof typeof bytesPerTask.small) => {
    const kibibytes = [bytesPerTask.small[kind] / 1024, bytesPerTask.large[kind] / 1024] as const;
    const isMet = Math.max(...kibibytes) <= TASK_AIM_KIB[kind];
    return [name, ...kibibytes.map((each) => each.toFixed(1)), ...verdict(isMet, `≤ ${TASK_AIM_KIB[kind]}`)];
  };
  return `## Cost of an operation with ${small} and with ${large} tasks

All are pending, ten for each agent. Processor time of the agents process and Redis for one request, or for the two of a lease and its
result; pages have 20 tasks and are from the middle.

${table(
  ['µs', small, large, 'is', 'aim', ''],
  [...costs].map(([name, cost]) => {
    const ratio = cost.large.microseconds / cost.small.microseconds;
    return [
      name,
      cost.small.microseconds.toFixed(0),
      cost.large.microseconds.toFixed(0),
      `${ratio.toFixed(2)}×`,
      ...verdict(ratio <= 1 + FLAT_AIM, `≤ ${1 + FLAT_AIM}×`),
    ];
  }),
)}

${READ_STATS} beside ${READ_AGENT}:

${table(
  ['', small, large, 'aim', ''],
  [
    [
      'times the cost',
      ...sizes.map((size) => `${statsRatio(costs, size).toFixed(2)}×`),
      ...verdict(
        sizes.every((size) => statsRatio(costs, size) <= STATS_AIM),
        `≤ ${STATS_AIM}×`,
      ),
    ],
  ],
)}

The longest script in Redis, of the operation with the longest, while its requests are sent one after another. A script also lasts
longer when another process of this machine interrupts it: the aim is for the round with the shortest.

${table(
  ['the longest script, ms', small, large, 'aim', ''],
  [
    ['median of the rounds', ...longestScripts(costs, 'scriptMs').map((ms) => ms.toFixed(1)), '', ''],
    ['shortest of the rounds', ...quietCells(longestScripts(costs, 'quietScriptMs'))],
  ],
)}

Redis' memory for a pending task with its queue, its events and its index entries.

${table(
  ['KiB', small, large, 'aim', ''],
  [memoryRow('without tags', 'untagged'), memoryRow('with a tag that no other task of the agent has', 'tagged')],
)}`;
}

const sizes = ['small', 'large'] as const;

function statsRatio(costs: ScaleResults['costs'], size: (typeof sizes)[number]): number {
  const of = (name: string) => costs.get(name)?.[size].microseconds ?? Number.NaN;
  return of(READ_STATS) / of(READ_AGENT);
}

function longestScripts(costs: ScaleResults['costs'], kind: 'scriptMs' | 'quietScriptMs'): number[] {
  return sizes.map((size) => Math.max(...[...costs.values()].map((cost) => cost[size][kind])));
}

function quietCells(longest: number[]): string[] {
  const isMet = Math.max(...longest) <= SCRIPT_AIM_MS;
  return [...longest.map((ms) => ms.toFixed(1)), ...verdict(isMet, `≤ ${SCRIPT_AIM_MS}`)];
}
