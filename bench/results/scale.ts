import type { ScaleResults } from '../fleet/scale.ts';
import { spaced, table, verdict } from './markdown.ts';

const TASK_AIM_KIB = 4;
/** Maximum relative increase of the cost with more tasks. */
const FLAT_AIM = 0.3;

export function scaleSection({ small, large, costs, bytesPerTask }: ScaleResults): string {
  const memoryRow = (name: string, kind: keyof typeof bytesPerTask.small) => {
    const kibibytes = [bytesPerTask.small[kind] / 1024, bytesPerTask.large[kind] / 1024] as const;
    const isMet = Math.max(...kibibytes) <= TASK_AIM_KIB;
    return [name, ...kibibytes.map((each) => each.toFixed(1)), ...verdict(isMet, `≤ ${TASK_AIM_KIB}`)];
  };
  return `## Cost of an operation with ${spaced(small)} and with ${spaced(large)} tasks

All are pending, ten for each agent. Processor time of the agents process and Redis for one request, or for the two of a lease and its
result; pages have 20 tasks and are from the middle.

${table(
  ['µs', spaced(small), spaced(large), 'is', 'aim', ''],
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

Redis' memory for a pending task with its queue, its events and its index entries.

${table(
  ['KiB', spaced(small), spaced(large), 'aim', ''],
  [memoryRow('without tags', 'untagged'), memoryRow('with a tag that no other task of the agent has', 'tagged')],
)}`;
}
