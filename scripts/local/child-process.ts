import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openBoundedLog } from './bounded-log.ts';

const KEEP = fileURLToPath(new URL('./end-with-parent.sh', import.meta.url));
const DEFAULT_GRACE_SECONDS = 25;

/** How a kept process is started. */
export interface KeptOptions {
  cwd?: string;
  /** Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** What the command prints is appended here. */
  logFile: string;
  /** Seconds from SIGTERM to SIGKILL, default 25. */
  graceSeconds?: number;
}

/** How a process ended; `code` is 128 and the signal's number where a signal ended it. */
export interface Exit {
  code: number;
  /** For people: `exit code 1`, `SIGKILL`. */
  reason: string;
}

/** A child process that never outlives this one, not even when this one is killed with -9. */
export interface KeptProcess {
  /** Resolves when the command has ended. */
  exited: Promise<Exit>;
  /** Ends the command with SIGTERM, after the grace with SIGKILL; resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends the command with SIGKILL at once. */
  kill(): Promise<void>;
  /** What it has printed so far. */
  printed(): string;
}

/** Starts `command` in a process group of its own, so that a Ctrl-C in the terminal reaches only its parent. */
export function startKept(command: string, args: readonly string[], options: KeptOptions): KeptProcess {
  const log = openBoundedLog(options.logFile);
  const grace = String(options.graceSeconds ?? DEFAULT_GRACE_SECONDS);
  const child = spawn('/bin/sh', [KEEP, grace, command, ...args], {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', log.fd, log.fd],
    detached: true,
  });
  closeSync(log.fd);
  // Nothing is ever written to it: an error says no more than that the keeper has ended.
  child.stdin?.on('error', () => {});
  const exited = exitOf(child).finally(() => {
    log.unwatch();
    // Should only the keeper itself have been killed, this ends the command.
    child.stdin?.destroy();
  });
  return {
    exited,
    stop: async () => {
      child.stdin?.end();
      await exited;
    },
    kill: async () => {
      killGroup(child);
      await exited;
    },
    printed: () => readFileSync(options.logFile).subarray(log.start).toString(),
  };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) return { code: 128 + constants.signals[signal], reason: signal };
  const name = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  return { code: code ?? 1, reason: name ?? `exit code ${code}` };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
}
