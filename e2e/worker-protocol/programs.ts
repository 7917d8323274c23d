import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';

/** A worker program of one of the worker libraries. */
export interface Program {
  /** The language. */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Whether a lease is kept while a handler blocks the thread of the worker. */
  heartbeatsWhileBlocked: boolean;
}

const FOLDER = join(ROOT, 'e2e/worker-protocol');
const PYTHON_PATH = join(ROOT, 'clients/python/src');
const PYTHONS = [
  join(ROOT, 'clients/python/.venv/bin/python'),
  'python3',
  'python3.14',
  'python3.13',
  'python3.12',
  'python3.11',
];
const CAN_RUN = 'import sys, httpx; assert sys.version_info >= (3, 11)';

/** The programs that this machine can run. */
export function findPrograms(): Program[] {
  const typescript = {
    name: 'TypeScript',
    command: process.execPath,
    args: [join(FOLDER, 'worker.ts')],
    env: {},
    heartbeatsWhileBlocked: false,
  };
  const python = findPython();
  if (python === undefined) return [typescript];
  const env = { PYTHONPATH: PYTHON_PATH, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const args = [join(FOLDER, 'worker.py')];
  return [typescript, { name: 'Python', command: python, args, env, heartbeatsWhileBlocked: true }];
}

/** Python 3.11 or newer with httpx, `FLEET_PYTHON` if that is set. */
function findPython(): string | undefined {
  const { FLEET_PYTHON } = process.env;
  const isUsable = (command: string) => spawnSync(command, ['-c', CAN_RUN], { stdio: 'ignore' }).status === 0;
  const found = (FLEET_PYTHON ? [FLEET_PYTHON] : PYTHONS).find(isUsable);
  if (FLEET_PYTHON && !found) throw new Error(`${FLEET_PYTHON} is not Python 3.11 with httpx`);
  if (found && existsSync(join(FOLDER, 'worker.py'))) return found;
  console.info('Python 3.11 with httpx is not installed. Omitted: the worker protocol of the Python library');
  return undefined;
}
