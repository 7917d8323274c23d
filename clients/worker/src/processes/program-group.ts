import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { killMarked, signalGroup } from './marked-processes.ts';

/** How long processes that a program left behind may keep its output open. */
const CLOSE_MS = 2_000;

interface GroupOptions {
  path: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The value of `FLEET_ATTEMPT_ID` in its environment. */
  mark: string;
  /** What its stdout is read from, if it is not stdout itself. */
  through?(child: ChildProcessWithoutNullStreams): Readable;
}

/** A program in a process group of its own, which a signal from the terminal does not reach. */
export interface ProgramGroup {
  child: ChildProcessWithoutNullStreams;
  stdout: Readable;
  /** Resolves when the program has exited and its output is read, at most 2 s after the exit. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** SIGTERM to the group, and SIGKILL after `graceMs`. Resolves when the program has exited. */
  terminate(graceMs: number): Promise<void>;
  /** Kills the group and everything with its mark. Resolves with the number of processes that are left. */
  killAll(): Promise<number>;
}

/** @throws Error of the system if the program does not start */
export async function startGroup({ path, args, env, cwd, mark, through }: GroupOptions): Promise<ProgramGroup> {
  const child = spawn(path, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'], env, cwd });
  await once(child, 'spawn');
  // A program may exit or close its stdin without reading it.
  child.stdin.on('error', () => {});
  const stdout = through?.(child) ?? child.stdout;
  const exited = exitOf(child, stdout);
  return {
    child,
    stdout,
    exited,
    async terminate(graceMs) {
      signalGroup(child.pid, 'SIGTERM');
      await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
      signalGroup(child.pid, 'SIGKILL');
      await exited;
    },
    killAll() {
      // Descendants that have another environment are found while their parents live.
      const left = killMarked(mark);
      signalGroup(child.pid, 'SIGKILL');
      return left;
    },
  };
}

function exitOf(child: ChildProcessWithoutNullStreams, stdout: Readable): ProgramGroup['exited'] {
  const { promise, resolve } = Promise.withResolvers<Awaited<ProgramGroup['exited']>>();
  const read = new Promise<void>((then) => stdout.once('close', then));
  child.once('exit', (code, signal) => {
    // A process that left the program's process group may still hold its pipes.
    const timer = setTimeout(() => {
      for (const stream of [child.stdout, child.stderr, stdout]) stream.destroy();
    }, CLOSE_MS);
    const closed = new Promise<void>((then) => child.once('close', () => then()));
    void Promise.all([read, closed]).then(() => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
  return promise;
}
