import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux reports processor time in these, whatever the kernel's own clock is. */
export const TICKS_PER_SECOND = 100;

/** A process's resident memory in bytes: from `/proc` on Linux, where `ps` may be missing, else from `ps`. */
export async function residentBytes(pid: string): Promise<number> {
  const kibibytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
      : await ps('rss', pid);
  return Number(kibibytes) * 1024;
}

/** The processor time that a process has used, all its threads. */
export async function processorSeconds(pid: string): Promise<number> {
  if (process.platform !== 'linux') return toSeconds(await ps('time', pid));
  return parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8')).ticks / TICKS_PER_SECOND;
}

/** A line of `/proc/[pid]/stat` (proc_pid_stat(5)): processor time in ticks, own and of ended children. */
export function parseProcessStat(line: string): { group: number; ticks: number; childTicks: number } {
  // The name before the parenthesis may hold anything.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { group: fields[2] ?? 0, ticks: user + system, childTicks: childUser + childSystem };
}

/** Of `ps`: minutes:seconds, with hours before them after an hour. */
export function toSeconds(time: string): number {
  return time.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

/** How many files, sockets and the like a process has open. */
export async function openHandles(pid: string): Promise<number> {
  if (process.platform === 'linux') return (await readdir(`/proc/${pid}/fd`)).length;
  return (await promisify(execFile)('lsof', ['-p', pid])).stdout.trim().split('\n').length - 1;
}

async function ps(field: string, pid: string): Promise<string> {
  return (await promisify(execFile)('ps', ['-o', `${field}=`, '-p', pid])).stdout;
}
