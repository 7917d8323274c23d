import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { holderOf, tryLock } from '@agent-fleet/skills/process-lock';
import { messageOf } from '../../errors.ts';

/** In the folder of a worker: copies of repositories, which attempts clone. */
export const REPOSITORY_CACHE = '.repositories';
const LOCK = 'worker.lock';
const ID = 'worker-id';
const MAX_HOST = 80;

/** The folder of a worker's attempts, which belongs to one running worker at a time. */
export interface BaseFolder {
  path: string;
  /** The same for every worker of this folder, so that it is offered the tasks that continue its own. */
  workerId: string;
  unlock(): void;
}

/** `$XDG_STATE_HOME/agent-fleet/workers/<runtime>`, by default below `~/.local/state`. */
export function defaultBaseFolder(env: NodeJS.ProcessEnv, runtime: string): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local/state');
  return join(state, 'agent-fleet/workers', runtime);
}

/** Creates and locks the folder. @throws Error, for the user, if it is another worker's, not empty or not writable */
export function openBaseFolder(folder: string): BaseFolder {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const names = readdirSync(path);
    // What is in this folder will be deleted some day.
    if (names.length > 0 && !names.includes(ID)) {
      throw new Error('it is not empty, and no worker has used it before');
    }
    const workerId = readWorkerId(path);
    return { path, workerId, unlock: lock(join(path, LOCK)) };
  } catch (error) {
    throw new Error(`The folder ${path} cannot be used for workspaces: ${messageOf(error)}`, { cause: error });
  }
}

function readWorkerId(path: string): string {
  const file = join(path, ID);
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (/^[\x21-\x7e]{1,100}$/.test(id)) return id;
  } catch {
    // There is none yet.
  }
  const id = `${hostname().slice(0, MAX_HOST)}-${randomBytes(4).toString('hex')}`;
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}

/** @throws Error if a running worker has the lock */
function lock(file: string): () => void {
  const unlock = tryLock(file);
  if (unlock !== undefined) return unlock;
  const { pid = 'unknown', host = hostname() } = holderOf(file) ?? {};
  throw new Error(`the worker with process id ${pid} on ${host} is using it; give each worker its own`);
}
