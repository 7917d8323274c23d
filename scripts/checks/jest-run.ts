import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../services.ts';
import { type CommandOptions, runCommand } from '../testing/command.ts';
import { type Outcome, toOutcome } from './outcome.ts';

const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  `--import=${new URL('./record-rejections.ts', import.meta.url)}`,
  fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url)),
];

/** Runs jest with `args`; an unhandled rejection in any of its processes counts as a failure. */
export async function runJest(args: readonly string[], { env, ...options }: CommandOptions = {}): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-results-'));
  try {
    const report = join(dir, 'jest.json');
    const rejectionsFile = join(dir, 'rejections');
    const { exitCode, seconds } = await runCommand(
      process.execPath,
      [...JEST, '--json', `--outputFile=${report}`, ...args],
      { cwd: ROOT, env: { ...process.env, ...env, REJECTIONS_FILE: rejectionsFile }, inherit: true, ...options },
    );
    const rejections = linesOf(rejectionsFile).map((line) => ({
      name: 'unhandled rejection',
      message: JSON.parse(line),
    }));
    const outcome = toOutcome(linesOf(report).join('\n'), exitCode, rejections);
    console.log(`${outcome.failures.length === 0 ? 'ok    ' : 'FAILED'} tests (${seconds.toFixed(1)} s)`);
    return outcome;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Empty if the file does not exist. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}
