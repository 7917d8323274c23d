import { availableParallelism } from 'node:os';

/** Memory of one process under load, with a reserve. */
const BYTES_PER_PROCESS = 256 * 1024 * 1024;
export const MAX_PROCESSES = 64;

/** One per core, as far as the container's memory (in bytes, 0 for no known limit) has room; at least one. */
export function defaultProcesses(cores = availableParallelism(), memory = process.constrainedMemory()): number {
  const fitting = memory > 0 ? Math.floor(memory / BYTES_PER_PROCESS) : cores;
  return Math.max(1, Math.min(cores, fitting, MAX_PROCESSES));
}
