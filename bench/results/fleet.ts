import type { Figures } from '../load/load.ts';
import { figureCells, table, toMegabytes, verdict } from './markdown.ts';

/** The agents process has a larger young generation. */
const MEMORY_AIM_MB: Record<string, number> = { gateway: 150, agents: 190, registry: 150 };

export function operationsSection(operations: Map<string, Figures>): string {
  return `## Operations through the gateway

${table(
  ['operation', 'requests/s', 'p50 ms', 'p99 ms'],
  [...operations].map(([name, figures]) => [`\`${name}\``, ...figureCells(figures)]),
)}`;
}

/** `memory`: resident bytes of each process. */
export function memorySection(memory: Map<string, number>): string {
  return `## Resident memory after 200 000 requests to each service and after the other questions

${table(
  ['process', 'MB', 'aim', ''],
  [...memory].map(([name, bytes]) => {
    const aim = MEMORY_AIM_MB[name] ?? Number.NaN;
    return [name, toMegabytes(bytes), ...verdict(bytes <= aim * 1e6, `≤ ${aim}`)];
  }),
)}`;
}
