import type { Figures } from '../load/load.ts';
import { figureCells, table, toMegabytes, verdict } from './markdown.ts';

const MEMORY_AIM_MB = 150;

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
  [...memory].map(([name, bytes]) => [
    name,
    toMegabytes(bytes),
    ...verdict(bytes < MEMORY_AIM_MB * 1e6, `< ${MEMORY_AIM_MB}`),
  ]),
)}`;
}
