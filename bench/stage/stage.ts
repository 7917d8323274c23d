import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { findRedis, startRedis } from '@agent-fleet/scripts/local/redis-server';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { openHandles, processorSeconds, residentBytes } from './process-usage.ts';
import { readProcessorTimes } from './processor-time.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

interface Program {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** Default: the folder of the stage. */
  cwd?: string;
}

export interface Part extends Program {
  port: number;
  /** Path that responds 200 when the part is ready. */
  ready: { path: string; headers?: Record<string, string> };
}

/** The environment of a benchmark: a folder, a Redis, and processes that end with it. */
export interface Stage {
  dir: string;
  redisUrl: string;
  signal: AbortSignal;
  /** Starts a process and waits until it is ready. @throws with its output if it ends before */
  start(part: Part): Promise<void>;
  /** Does the same for a program without HTTP. `check` rejects until it is ready. */
  startProgram(program: Program, check: () => Promise<unknown>): Promise<void>;
  /** Starts a TypeScript file of this repository on a free port (`PORT`) and returns the port. */
  startNode(
    name: string,
    file: string,
    env: NodeJS.ProcessEnv,
    ready: Part['ready'],
    flags?: string[],
  ): Promise<number>;
  /** Resident memory of a process of `startNode`. */
  residentBytes(name: string): Promise<number>;
  /** Processor time of a process of `startNode`. */
  processorSeconds(name: string): Promise<number>;
  /** Processor seconds of parts, or `redis`, with their children, and of all processes outside of the benchmark. */
  processorTimes(names: string[]): Promise<{ parts: number; others: number }>;
  /** Number of open files, sockets and other handles of a process of `startNode`. */
  openHandles(name: string): Promise<number>;
  /** Makes a folder outside of `dir`, for another user. */
  makeFolder(): string;
  /** Ends all processes, the last started first, and removes the folders. */
  close(): Promise<void>;
}

/** `signal` aborts pending waits; `flags` are Node flags for processes of `startNode`. */
export async function openStage(signal: AbortSignal, flags: string[] = []): Promise<Stage> {
  const allFlags = ['--import', join(import.meta.dirname, 'report-pid.ts'), ...flags];
  const folders: string[] = [];
  function makeFolder(): string {
    const folder = makeDataDir('agent-fleet-bench-');
    folders.push(folder);
    return folder;
  }
  const dir = makeFolder();
  const redis = await startRedis(findRedis(console.log), { dir: join(dir, 'redis') });
  const running: Pick<Child, 'stop' | 'pid'>[] = [redis];
  /** Root of the tree of processes by part name. */
  const rootOf = new Map([['redis', redis.pid]]);

  const pidFile = (name: string) => join(dir, `${name}.pid`);
  const pidOf = (name: string) => readFile(pidFile(name), 'utf8');

  async function startProgram(program: Program, check: () => Promise<unknown>): Promise<void> {
    const { name, command, args, env, cwd = dir } = program;
    const process = startChild(command, args, {
      cwd,
      env,
      output: { logFile: join(dir, `${name}.log`) },
      graceSeconds: 5,
    });
    running.push(process);
    rootOf.set(name, process.pid);
    await untilReady(name, process, check, signal);
  }

  const start = ({ port, ready, ...program }: Part) =>
    startProgram(program, () => expectOk(`http://127.0.0.1:${port}${ready.path}`, ready.headers, signal));

  return {
    dir,
    redisUrl: redis.url,
    signal,
    start,
    startProgram,

    async startNode(name, file, env, ready, flags = []) {
      const port = await freePort();
      const own = {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: '0',
        PID_FILE: pidFile(name),
      };
      const args = [...flags, ...allFlags, join(ROOT, file)];
      await start({ name, command: process.execPath, args, env: { ...own, ...env }, port, ready });
      return port;
    },

    residentBytes: async (name) => residentBytes(await pidOf(name)),

    processorSeconds: async (name) => processorSeconds(await pidOf(name)),

    async processorTimes(names) {
      const { ofTree, machine } = await readProcessorTimes();
      const parts = names.reduce((sum, name) => sum + ofTree(rootOf.get(name) ?? Number.NaN), 0);
      return { parts, others: machine - ofTree(process.pid) };
    },

    openHandles: async (name) => openHandles(await pidOf(name)),

    makeFolder,

    async close() {
      for (const process of running.reverse()) await process.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(
  name: string,
  process: Child,
  check: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  const ended = process.exited.then(({ reason }) => reason);
  for (let result = ''; ; ) {
    try {
      await check();
      return;
    } catch (error) {
      signal.throwIfAborted();
      result = String((error as Error).cause ?? error);
    }
    const reason = await Promise.race([ended, sleep(POLL_MS, undefined, { signal })]);
    if (reason !== undefined) throw new Error(`${name} ended (${reason}):\n${process.printed()}`);
    if (Date.now() > deadline) throw new Error(`${name} is not ready: ${result}\n${process.printed()}`);
  }
}

async function expectOk(url: string, headers: Record<string, string> | undefined, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}
