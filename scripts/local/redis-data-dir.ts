import { closeSync, openSync, rmSync, statSync, utimes } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LaunchError } from './launch-error.ts';
import { readFileIfExists } from './read-file-if-exists.ts';
import { pingRedis } from './redis-ping.ts';

/** The configuration of the Redis in the data directory, with its port and password. */
export const CONFIG_FILE = 'redis.conf';
const CLAIM_FILE = 'starting';
/** A claim that is older than this is left from a crash: its holder renews it, as loading the data may take minutes. */
const CLAIM_MAX_AGE_MS = 5_000;
const RENEW_EVERY_MS = 1_000;
/** A Redis whose launcher was just killed is still stopping. */
const LEAVING_MS = 2000;
const POLL_MS = 50;

/**
 * Claims the data in `dir` until `release`, so that only one process starts a Redis on it: two would destroy the data.
 * The configuration of the last Redis has its address, to check that it no longer runs.
 * @throws LaunchError if one runs
 */
export async function claimDataDir(dir: string): Promise<{ release(): void }> {
  const claim = join(dir, CLAIM_FILE);
  while (!create(claim)) {
    if (ageMs(claim) > CLAIM_MAX_AGE_MS) rmSync(claim, { force: true });
    else await sleep(POLL_MS);
  }
  const renewal = setInterval(renew, RENEW_EVERY_MS, claim).unref();
  const release = () => {
    clearInterval(renewal);
    rmSync(claim, { force: true });
  };
  const deadline = Date.now() + LEAVING_MS;
  while (await isServed(dir)) {
    if (Date.now() > deadline) {
      release();
      throw new LaunchError(
        `A Redis already runs on the data in ${dir}: stop the other Agent Fleet, or set DATA_DIR to another folder`,
      );
    }
    await sleep(POLL_MS);
  }
  return { release };
}

function create(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function renew(file: string): void {
  const now = new Date();
  // It fails when the folder has been removed; nothing is left to protect then.
  utimes(file, now, now, () => undefined);
}

function ageMs(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

async function isServed(dir: string): Promise<boolean> {
  const config = readFileIfExists(join(dir, CONFIG_FILE)) ?? '';
  const port = /^port (\d+)$/m.exec(config)?.[1];
  const password = /^requirepass (\S+)$/m.exec(config)?.[1];
  if (port === undefined || password === undefined) return false;
  return (await pingRedis(Number(port), password)) !== 'none';
}
