import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux reports processor time in ticks of this length (`USER_HZ`), independent of the kernel's clock. */
export const TICKS_PER_SECOND = 100;

/**
 * Returns a process's resident memory in bytes: from `/proc` on Linux, where `ps` may be missing, otherwise from `ps`.
 */
export async function residentBytes(pid: string): Promise<number> {
  const kibibytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
      : await ps('rss', pid);
  return Number(kibibytes) * 1024;
}

/** Returns the processor time of a process, all threads included. */
export async function processorSeconds(pid: string): Promise<number> {
  if (process.platform !== 'linux') return toSeconds(await ps('time', pid));
  return parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8')).ticks / TICKS_PER_SECOND;
}

/**
 * Parses a line of `/proc/[pid]/stat` (proc_pid_stat(5)): the parent's id, and processor time in ticks, of the process
 * and of its ended children.
 */
export function parseProcessStat(line: string): { parent: number; ticks: number; childTicks: number } {
  // The name before the parenthesis may contain any characters.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, ticks: user + system, childTicks: childUser + childSystem };
}

/** Parses `mm:ss` or `hh:mm:ss` of `ps`. */
export function toSeconds(time: string): number {
  return time.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

/** Returns the number of open files, sockets and other handles. */
export async function openHandles(pid: string): Promise<number> {
  if (process.platform === 'linux') return (await readdir(`/proc/${pid}/fd`)).length;
  return (await promisify(execFile)('lsof', ['-p', pid])).stdout.trim().split('\n').length - 1;
}

async function ps(field: string, pid: string): Promise<string> {
  return (await promisify(execFile)('ps', ['-o', `${field}=`, '-p', pid])).stdout;
}
