import { startChild } from '../local/child-process.ts';

/** How much of the output an error shows. */
const SHOWN_LINES = 40;

const GRACE_SECONDS = 10;
const READ_TIMEOUT_MS = 120_000;

export interface CommandOptions {
  cwd?: string;
  /** Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Ends the command. */
  signal?: AbortSignal;
  /** Default: none. */
  timeoutMs?: number;
  /** Shows the output instead of collecting it. */
  inherit?: boolean;
}

export interface CommandResult {
  /** 128 and the signal's number where a signal ended it. */
  exitCode: number;
  stdout: string;
  stderr: string;
  seconds: number;
}

/** Runs a command without input to its end; it ends with this process. */
export async function runCommand(
  file: string,
  args: readonly string[],
  { cwd, env, signal, timeoutMs, inherit }: CommandOptions = {},
): Promise<CommandResult> {
  const began = performance.now();
  const child = startChild(file, args, {
    cwd,
    env,
    output: inherit ? 'inherit' : 'memory',
    graceSeconds: GRACE_SECONDS,
  });
  const stop = () => void child.stop();
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const { code } = await child.closed;
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return { exitCode: code, ...child.written, seconds: (performance.now() - began) / 1_000 };
}

/**
 * Runs a command, by default for at most 120 s, and resolves with its standard output. @throws with the end of its
 * output
 */
export async function readCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr, seconds } = await runCommand(file, args, {
    timeoutMs: READ_TIMEOUT_MS,
    ...options,
  });
  options.signal?.throwIfAborted();
  if (exitCode === 0) return stdout;
  const shown = `${stdout}\n${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Error(`${[file, ...args].join(' ')} failed (${exitCode}) after ${seconds.toFixed(0)} s\n${shown}`);
}
