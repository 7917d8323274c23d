import { MINIMA, type ReplicaResults } from '../fleet/replicas.ts';
import { describeRounds, figureCells, ratioVerdict, table } from './markdown.ts';

/** Minimum ratio of creations per second to those that wait for no replica. */
const AIM = 0.7;

export function replicasSection({ figures, rounds }: ReplicaResults): string {
  const perSecond = figures.get('0')?.perSecond ?? Number.NaN;
  const rows = MINIMA.map((minimum) => {
    const found = figures.get(`${minimum}`);
    if (!found) throw new Error(`There are no figures of ${minimum}`);
    const cells = [`\`REDIS_MIN_REPLICAS=${minimum}\``, ...figureCells(found), found.processorUs.toFixed(0)];
    return minimum === 0 ? [...cells, '', '', ''] : [...cells, ...ratioVerdict(found.perSecond / perSecond, AIM)];
  });
  return `## Tasks that wait for replicas of Redis

\`POST /agents/{id}/tasks\` to an agents process, with two replicas that each write an append-only file, on the same machine.
Processor time of the process and the primary. ${describeRounds(rounds)}

${table(['', 'requests/s', 'p50 ms', 'p99 ms', 'processor µs', 'ratio', 'aim', ''], rows)}`;
}
