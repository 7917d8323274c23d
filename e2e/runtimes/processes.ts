import { readdirSync, readFileSync } from 'node:fs';

/** A running process of an attempt. */
export interface AttemptProcess {
  pid: number;
  command: string;
  env: Record<string, string>;
}

/** Those that a worker has started for an attempt, or one of their descendants. */
export function attemptProcesses(): AttemptProcess[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const processes = pids.map((pid) => ({ pid: Number(pid), command: commandOf(pid), env: environmentOf(pid) }));
  return processes.filter(({ env }) => env.FLEET_TASK_ID && env.FLEET_ATTEMPT);
}

/** The command line of a process; empty once it has ended. */
function commandOf(pid: string): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function environmentOf(pid: string): Record<string, string> {
  const lines = read(`/proc/${pid}/environ`).split('\0');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
