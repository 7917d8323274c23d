import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process's resident memory in bytes: from `/proc` on Linux, where `ps` may be missing, else from `ps`. */
export async function residentBytes(pid: string): Promise<number> {
  const kibibytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
      : (await promisify(execFile)('ps', ['-o', 'rss=', '-p', pid])).stdout;
  return Number(kibibytes) * 1024;
}
