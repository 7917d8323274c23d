import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { PYTHON_CLIENT } from '../harness/python.ts';
import { blocksOf } from '../harness/run-as-user.ts';

const TIMEOUT_MS = 300_000;
const WORKER_SECONDS = 5;

/**
 * Runs the commands and the Python of the README as they are written, in a new virtual environment and with the
 * credentials of this fleet. The worker of the last command is interrupted. Resolves with what they print.
 */
export async function runReadme(python: string, { baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const readme = readFileSync(join(PYTHON_CLIENT, 'README.md'), 'utf8');
  const [install, credentials, worker] = blocksOf(readme, 'sh');
  const folder = ownFolder();
  await readCommand(python, ['-m', 'venv', join(folder, 'venv')]);
  mkdirSync(join(folder, '.data'));
  writeFileSync(join(folder, '.data/credentials.env'), `API_KEYS=e2e:${apiKey}\nFLEET_URL=${baseUrl}\n`);
  writeFileSync(join(folder, 'readme.py'), blocksOf(readme, 'python').join('\n'));
  symlinkSync(join(ROOT, 'clients'), join(folder, 'clients'));
  const script = [
    install,
    credentials,
    'python -c "import agent_fleet; open(agent_fleet.__path__[0] + \'/py.typed\')"',
    'python readme.py',
    `timeout --preserve-status -s INT ${WORKER_SECONDS} ${worker}`,
  ].join('\n');
  return await readCommand('/bin/sh', ['-ec', script], {
    cwd: folder,
    env: { PATH: [join(folder, 'venv/bin'), process.env.PATH].join(delimiter), HOME: folder },
    timeoutMs: TIMEOUT_MS,
  });
}
