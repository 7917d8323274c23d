import { globSync } from 'node:fs';
import type { ContractCase, ContractCases } from './contract-case.ts';

const files = globSync('cases/*.ts', { cwd: import.meta.dirname });
const modules: Record<string, Record<string, ContractCases>>[] = await Promise.all(
  files.map((file) => import(`./${file}`)),
);

/** A case for each documented outcome of each operation: all exports of the files in `cases/`. */
export const CONTRACT_CASES: Record<string, ContractCases> = Object.assign({}, ...modules.flatMap(Object.values));

/** Of an operation such as `GET /agents`. */
export function successesOf(operation: string): ContractCase[] {
  return Object.entries(CONTRACT_CASES[operation] ?? {}).flatMap(([outcome, one]) => (/^2/.test(outcome) ? one : []));
}
