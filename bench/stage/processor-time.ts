import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parseProcessStat, TICKS_PER_SECOND, toSeconds } from './process-usage.ts';

/** Processor time (user and system) in seconds. */
export interface ProcessorTimes {
  /** Of a process with its descendants, including ended ones that their parent waited for. */
  ofTree(root: number): number;
  /** Of all processes of the machine; NaN if the system does not report it. */
  machine: number;
}

export async function readProcessorTimes(): Promise<ProcessorTimes> {
  const rows = process.platform === 'linux' ? await readProc() : await readPs();
  const seconds = new Map(rows.map((row) => [row.pid, row.seconds]));
  const children = Map.groupBy(rows, ({ parent }) => parent);
  // By parent, because each process of PostgreSQL has a process group of its own.
  const ofTree = (root: number): number =>
    (children.get(root) ?? []).reduce((sum, { pid }) => sum + ofTree(pid), seconds.get(root) ?? 0);
  return { ofTree, machine: process.platform === 'linux' ? await machineSeconds() : Number.NaN };
}

interface Row {
  pid: number;
  parent: number;
  seconds: number;
}

async function readProc(): Promise<Row[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    pids.map(async (pid) => {
      try {
        const { parent, ticks, childTicks } = parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
        return { pid: Number(pid), parent, seconds: (ticks + childTicks) / TICKS_PER_SECOND };
      } catch {
        // The process has ended.
        return [];
      }
    }),
  );
  return rows.flat();
}

async function readPs(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,time=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, time = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), seconds: toSeconds(time) };
    });
}

/** Interrupts are not included: they belong to no process. */
async function machineSeconds(): Promise<number> {
  const [, user = 0, nice = 0, system = 0] = (await readFile('/proc/stat', 'utf8')).split(/\s+/, 4).map(Number);
  return (user + nice + system) / TICKS_PER_SECOND;
}
