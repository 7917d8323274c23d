import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Linux tells processor time in these, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;

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
  if (process.platform === 'linux') {
    const [, fields = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND;
  }
  // minutes:seconds, with hours before them after an hour.
  return (await ps('time', pid)).split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

/** How many files, sockets and the like a process has open. */
export async function openHandles(pid: string): Promise<number> {
  if (process.platform === 'linux') return (await readdir(`/proc/${pid}/fd`)).length;
  return (await promisify(execFile)('lsof', ['-p', pid])).stdout.trim().split('\n').length - 1;
}

async function ps(field: string, pid: string): Promise<string> {
  return (await promisify(execFile)('ps', ['-o', `${field}=`, '-p', pid])).stdout;
}
