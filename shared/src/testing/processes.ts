import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of this machine. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  command: string;
}

/** The process `pid` and all its descendants. */
export function processTree(pid: number): ProcessInfo[] {
  const all = allProcesses();
  const tree = all.filter((info) => info.pid === pid);
  for (const parent of tree) tree.push(...all.filter((info) => info.parent === parent.pid));
  return tree;
}

/** Waits until none of them runs; resolves with those that still run after `timeoutMs`. */
export async function remaining(processes: readonly ProcessInfo[], timeoutMs: number): Promise<ProcessInfo[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const left = allProcesses().filter((now) =>
      processes.some((was) => was.pid === now.pid && was.command === now.command),
    );
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(25);
  }
}

/** Omits zombies, which have ended. A small Debian has no `ps`, macOS no `/proc`. */
function allProcesses(): ProcessInfo[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

function fromProc(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // The process ended between listing and reading.
        return [];
      }
    });
}

function fromPs(): ProcessInfo[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
