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

export interface Part {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
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
  /** Processor seconds of parts with their child processes, and of all processes outside of the benchmark. */
  processorTimes(names: string[]): Promise<{ parts: number; others: number }>;
  /** Number of open files, sockets and other handles of a process of `startNode`. */
  openHandles(name: string): Promise<number>;
  /** Ends all processes, the last started first, and removes the folder. */
  close(): Promise<void>;
}

/** `signal` aborts pending waits; `flags` are Node flags for processes of `startNode`. */
export async function openStage(signal: AbortSignal, flags: string[] = []): Promise<Stage> {
  const allFlags = ['--import', join(import.meta.dirname, 'report-pid.ts'), ...flags];
  const dir = makeDataDir('agent-fleet-bench-');
  const redis = await startRedis(findRedis(console.log), { dir: join(dir, 'redis') });
  const running: Pick<Child, 'stop' | 'pid'>[] = [redis];
  /** Process group by part name. */
  const groupOf = new Map<string, number>();

  const pidFile = (name: string) => join(dir, `${name}.pid`);
  const pidOf = (name: string) => readFile(pidFile(name), 'utf8');

  async function start({ name, command, args, env, port, ready }: Part): Promise<void> {
    const process = startChild(command, args, {
      cwd: dir,
      env,
      output: { logFile: join(dir, `${name}.log`) },
      graceSeconds: 5,
    });
    running.push(process);
    groupOf.set(name, process.pid);
    await untilReady(name, process, `http://127.0.0.1:${port}${ready.path}`, ready.headers, signal);
  }

  return {
    dir,
    redisUrl: redis.url,
    signal,
    start,

    async startNode(name, file, env, ready, flags = []) {
      const port = await freePort();
      const own = {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        PID_FILE: pidFile(name),
      };
      const args = [...flags, ...allFlags, join(ROOT, file)];
      await start({ name, command: process.execPath, args, env: { ...own, ...env }, port, ready });
      return port;
    },

    residentBytes: async (name) => residentBytes(await pidOf(name)),

    processorSeconds: async (name) => processorSeconds(await pidOf(name)),

    async processorTimes(names) {
      const { groups, ownGroup, machine } = await readProcessorTimes();
      const sumOf = (ids: (number | undefined)[]) =>
        ids.reduce<number>((sum, id = 0) => sum + (groups.get(id) ?? 0), 0);
      const own = sumOf([ownGroup, ...running.map(({ pid }) => pid)]);
      return { parts: sumOf(names.map((name) => groupOf.get(name))), others: machine - own };
    },

    openHandles: async (name) => openHandles(await pidOf(name)),

    async close() {
      for (const process of running.reverse()) await process.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function untilReady(
  name: string,
  process: Child,
  url: string,
  headers: Record<string, string> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  const ended = process.exited.then(({ reason }) => reason);
  for (let result = ''; ; ) {
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
      result = `${response.status} ${await response.text()}`;
      if (response.ok) return;
    } catch (error) {
      signal.throwIfAborted();
      result = String((error as Error).cause ?? error);
    }
    const reason = await Promise.race([ended, sleep(POLL_MS, undefined, { signal })]);
    if (reason !== undefined) throw new Error(`${name} ended (${reason}):\n${process.printed()}`);
    if (Date.now() > deadline) throw new Error(`${name} is not ready: ${result}\n${process.printed()}`);
  }
}
