import { execFile } from 'node:child_process';

export interface CommandOptions {
  signal: AbortSignal;
  /** Default 120 s. */
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
}

const SHOWN_LINES = 40;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a command without input and resolves with its standard output; rejects with the end of what it wrote. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { signal, timeoutMs = 120_000, env = process.env } = options;
  const began = Date.now();
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { signal, timeout: timeoutMs, env, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const seconds = ((Date.now() - began) / 1_000).toFixed(0);
        const written = `${stdout}\n${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
        const end = error.killed ? `ended after ${seconds} s` : `failed (${error.code})`;
        reject(new Error(`${[file, ...args].join(' ')} ${end}\n${written}`, { cause: error }));
      },
    );
    child.stdin?.end();
  });
}
