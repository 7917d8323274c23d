import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '@agent-fleet/skills/process-lock';
import { CliError, EXIT } from './errors.ts';

const WAIT_MS = 30_000;
const POLL_MS = 50;

/** Where the file of the mutex is. */
export interface Place {
  path: string;
  at(name: string): string;
}

/**
 * Holds the mutex of a folder while `work` runs.
 * @throws CliError if another command holds it for 30 s
 */
export async function withMutex<T>(
  folder: Place,
  name: string,
  work: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  let release = tryLock(folder.at(name));
  while (!release) {
    if (Date.now() > deadline) {
      const hint = `Wait for it. If there is none, remove ${folder.path}/${name}.`;
      throw new CliError(EXIT.failed, 'busy', `Another command is changing ${folder.path}`, hint);
    }
    await sleep(POLL_MS, undefined, { signal });
    release = tryLock(folder.at(name));
  }
  try {
    return await work();
  } finally {
    release();
  }
}
