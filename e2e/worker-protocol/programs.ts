import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';

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

/** The programs that this machine can run. */
export async function findPrograms(): Promise<Program[]> {
  const typescript = {
    name: 'TypeScript',
    command: process.execPath,
    args: [join(FOLDER, 'worker.ts')],
    env: {},
    heartbeatsWhileBlocked: false,
  };
  const python = await preparePython('test');
  if ('missing' in python) {
    console.info(`${python.missing}. Omitted: the worker protocol of the Python library`);
    return [typescript];
  }
  const env = { PYTHONPATH: join(PYTHON_CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  const args = [join(FOLDER, 'worker.py')];
  return [typescript, { name: 'Python', command: python.path, args, env, heartbeatsWhileBlocked: true }];
}
