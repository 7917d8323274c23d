import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { runCommand } from '../testing/command.ts';

test.each([
  // Its threads take twice the processor time, which other tests need (measured).
  ['types', 'tsc', ['-p', 'tsconfig.json', '--singleThreaded']],
  ['types of the pages', 'tsc', ['-p', 'clients/web', '--singleThreaded']],
  ['types of the browser tests', 'tsc', ['-p', 'e2e/browser', '--singleThreaded']],
  ['lint and format', 'biome', ['check', '--error-on-warnings']],
  ['unused code', 'knip', ['--no-progress']],
])(
  'the repository passes the check of %s',
  async (_name, program, args) => {
    const { exitCode, stdout, stderr } = await runCommand(join(ROOT, 'node_modules/.bin', program), args, {
      cwd: ROOT,
    });
    expect(exitCode === 0 ? '' : stdout + stderr).toBe('');
  },
  300_000,
);
