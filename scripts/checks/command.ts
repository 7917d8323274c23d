import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onParentGone } from '../launcher/parent.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

export interface CommandResult {
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /** What it printed, unless the terminal got that. */
  output: string;
  /** How long it took, for people. */
  seconds: string;
}

const running = new Set<ChildProcess>();

/** Ends the running commands and this process when it gets a signal or loses its parent. */
export function endCommandsWithProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  onParentGone(() => end('SIGTERM'));
}

/** Runs a command in the root folder to its end. `stdio`: `pipe` collects its output, `inherit` shows it. */
export async function runCommand(
  file: string,
  args: readonly string[],
  stdio: 'pipe' | 'inherit',
  env: NodeJS.ProcessEnv = process.env,
): Promise<CommandResult> {
  const began = performance.now();
  const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', stdio, stdio], env });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  return { exitCode, output, seconds: ((performance.now() - began) / 1000).toFixed(1) };
}

function end(signal: NodeJS.Signals): void {
  for (const child of running) child.kill(signal);
  process.exit(128 + constants.signals[signal]);
}
