import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toRegistry } from './registry-stage.ts';

const PROGRAM = join(import.meta.dirname, 'calibration-process.ts');
const TIMEOUT_MS = 120_000;

/**
 * Returns the processor seconds of one `JSON.parse` of the source file in a fresh process, which does not change with
 * the service: multiples of it can be compared between machines. Takes seconds.
 */
export async function calibrate(skills: number, signal: AbortSignal): Promise<number> {
  const registry = JSON.stringify({ ...toRegistry(skills), edition: 1 });
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROGRAM, registry], {
    signal,
    timeout: TIMEOUT_MS,
  });
  const seconds = Number(stdout);
  console.log(`  JSON.parse of the source file: ${(seconds * 1_000).toFixed(0)} ms of a core`);
  return seconds;
}
