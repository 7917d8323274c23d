import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openBoundedLog } from './bounded-log.ts';

const END_WITH_PARENT = fileURLToPath(new URL('./end-with-parent.sh', import.meta.url));
const DEFAULT_GRACE_SECONDS = 25;

/** How a child is started. */
export interface ChildOptions {
  cwd?: string;
  /** Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Where the output goes: a log file that is appended to, `inherit`, or `memory` (default). */
  output?: { logFile: string } | 'inherit' | 'memory';
  /** Seconds from SIGTERM to SIGKILL, default 25. */
  graceSeconds?: number;
  /** Default true; false is for tests of what a command leaves behind. */
  endsWithParent?: boolean;
}

/** How a process ended; `code` is 128 and the signal's number where a signal ended it. */
export interface Exit {
  code: number;
  /** For people: `exit code 1`, `SIGKILL`. */
  reason: string;
}

/**
 * A child process. Unless `endsWithParent` is false, it never outlives this one, not even when this one is killed with
 * -9.
 */
export interface Child {
  /** Also the id of its process group. */
  pid: number;
  /** Whether it has not ended. */
  isRunning(): boolean;
  /** Resolves when it has ended. */
  exited: Promise<Exit>;
  /** Resolves when it has ended and its output in memory is complete. */
  closed: Promise<Exit>;
  /** Does nothing once it has ended. */
  signal(name: NodeJS.Signals): void;
  /** Ends it with SIGTERM and, if it ends with its parent, after the grace with SIGKILL; resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends it and the rest of its process group with SIGKILL at once. */
  kill(): Promise<void>;
  /** What it has printed so far, into its log or into memory. */
  printed(): string;
  /** With output in memory: what it has written to each stream so far. */
  written: { stdout: string; stderr: string };
}

/** Starts `command` in a process group of its own, so that a Ctrl-C in the terminal reaches only its parent. */
export function startChild(command: string, args: readonly string[], options: ChildOptions = {}): Child {
  const { output = 'memory', graceSeconds = DEFAULT_GRACE_SECONDS, endsWithParent = true } = options;
  const log = typeof output === 'object' ? openBoundedLog(output.logFile) : undefined;
  const stdio = log?.fd ?? (output === 'inherit' ? 'inherit' : 'pipe');
  const [file = '', ...rest] = [
    ...(endsWithParent ? ['/bin/sh', END_WITH_PARENT, String(graceSeconds)] : []),
    ...[command, ...args],
  ];
  const child = spawn(file, rest, {
    cwd: options.cwd,
    env: options.env,
    stdio: [endsWithParent ? 'pipe' : 'ignore', stdio, stdio],
    detached: true,
  });
  if (log) closeSync(log.fd);
  // Nothing is written to it; an error means that the child has ended.
  child.stdin?.on('error', () => {});
  const written = collectOutput(child);
  const exited = exitOf(child).finally(() => {
    log?.unwatch();
    // The watcher ends the rest of the process group.
    child.stdin?.destroy();
  });
  const closed = once(child, 'close').then(() => exited);
  // Not all callers await it, and `exited` rejects for the same reason.
  closed.catch(() => {});
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? Number.NaN,
    isRunning,
    exited,
    closed,
    signal: (name) => void child.kill(name),
    stop: async () => {
      if (endsWithParent) child.stdin?.end();
      else child.kill();
      await exited;
    },
    kill: async () => {
      if (child.pid !== undefined && isRunning()) process.kill(-child.pid, 'SIGKILL');
      await exited;
    },
    printed: () =>
      typeof output === 'object'
        ? readFileSync(output.logFile).subarray(log?.start).toString()
        : written.stdout + written.stderr,
    written,
  };
}

function collectOutput(child: ChildProcess): Child['written'] {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  return written;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) return { code: 128 + constants.signals[signal], reason: signal };
  return { code: code ?? 1, reason: `exit code ${code}` };
}
