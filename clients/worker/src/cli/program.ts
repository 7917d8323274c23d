import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '../processes/find-on-path.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** Wrong usage; the message is for the user. */
export class UsageError extends Error {}

/** Finds the program like a shell. @throws UsageError, so that the mistake shows before the first task */
export function findProgram(program: string, path: string): string {
  const isPath = program.includes('/');
  const found = findOnPath(program, path);
  if (found !== undefined) return found;
  if (!existsSync(program)) throw new UsageError(`${program} not found${isPath ? '' : ' on PATH'}`);
  if (!isPath) throw new UsageError(`${program} not found on PATH; did you mean ./${program}?`);
  throw new UsageError(`${program} is not an executable file (chmod +x?)`);
}

/** Gemini CLI took more than 10 s to say its version on a busy machine. */
const DEADLINE_MS = 30_000;
const MAX_BYTES = 64 * 1024;
const MAX_SHOWN = 500;

/**
 * Runs the program of a runtime with `--version`. Returns a warning for a version that was not tried, else undefined.
 * @throws UsageError if the program does not run
 */
export async function checkProgram(
  runtime: Runtime,
  program: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { versions } = runtime;
  if (versions === undefined) return undefined;
  const version = /\d+\.\d+\.\d+/.exec(await versionOf(program, env))?.[0];
  if (version !== undefined && isAtLeast(version, versions.from) && !isAtLeast(version, versions.before))
    return undefined;
  const tried = `from ${versions.from} to before ${versions.before}`;
  return `${program} has version ${version ?? 'unknown'}; this worker was tried with versions ${tried}`;
}

/** In a home of its own: some programs write files at every start. */
async function versionOf(program: string, { PATH, LANG }: NodeJS.ProcessEnv): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fleet-version-'));
  const options = { env: { PATH, LANG, HOME: home }, timeout: DEADLINE_MS, maxBuffer: MAX_BYTES } as const;
  try {
    return await new Promise((resolve, reject) => {
      const child = execFile(program, ['--version'], { ...options, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const why = error.killed ? `no answer in ${DEADLINE_MS / 1000} s` : stderr.trim() || error.message;
        reject(new UsageError(`${program} --version failed: ${why.slice(0, MAX_SHOWN)}`));
      });
      child.stdin?.end();
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
