import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parseProcessStat, TICKS_PER_SECOND, toSeconds } from './process-usage.ts';

/** Processor time (user and system) in seconds. */
export interface ProcessorTimes {
  /** By process group, including ended children that their parent waited for. */
  groups: Map<number, number>;
  /** The process group of this process. */
  ownGroup: number;
  /** All processes of the machine; NaN if the system does not report it. */
  machine: number;
}

export async function readProcessorTimes(): Promise<ProcessorTimes> {
  const rows = process.platform === 'linux' ? await readProc() : await readPs();
  const groups = new Map<number, number>();
  for (const { group, seconds } of rows) groups.set(group, (groups.get(group) ?? 0) + seconds);
  const ownGroup = rows.find(({ pid }) => pid === process.pid)?.group ?? 0;
  return { groups, ownGroup, machine: process.platform === 'linux' ? await machineSeconds() : Number.NaN };
}

interface Row {
  pid: number;
  group: number;
  seconds: number;
}

async function readProc(): Promise<Row[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    pids.map(async (pid) => {
      try {
        const { group, ticks, childTicks } = parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
        return { pid: Number(pid), group, seconds: (ticks + childTicks) / TICKS_PER_SECOND };
      } catch {
        // The process has ended.
        return [];
      }
    }),
  );
  return rows.flat();
}

async function readPs(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,pgid=,time=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, group, time = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), group: Number(group), seconds: toSeconds(time) };
    });
}

/** Interrupts are not included: they belong to no process. */
async function machineSeconds(): Promise<number> {
  const [, user = 0, nice = 0, system = 0] = (await readFile('/proc/stat', 'utf8')).split(/\s+/, 4).map(Number);
  return (user + nice + system) / TICKS_PER_SECOND;
}
