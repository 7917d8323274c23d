import { availableParallelism } from 'node:os';

/** What one process takes under load, with room for what it does not take always. */
const BYTES_PER_PROCESS = 256 * 1024 * 1024;
export const MAX_PROCESSES = 64;

/** One for each core, and no more than the container's memory (in bytes, 0 where no limit is known) has room for; at least one. */
export function defaultProcesses(cores = availableParallelism(), memory = process.constrainedMemory()): number {
  const fitting = memory > 0 ? Math.floor(memory / BYTES_PER_PROCESS) : cores;
  return Math.max(1, Math.min(cores, fitting, MAX_PROCESSES));
}
