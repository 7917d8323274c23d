import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@agent-fleet/shared/process';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { FirstUser } from '../config.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { UserStore } from '../stores/user-store.ts';
import { createFirstUser } from './first-user.ts';
import { migrate } from './migrate.ts';

const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 5_000;

/**
 * Checks the layout of the data and creates the first user. It waits while Redis is unavailable. `done` rejects with a
 * StartError when the layout is newer than this program.
 */
export function prepareData(
  context: IdentityContext,
  { firstUser, users, passwords }: { firstUser: FirstUser | undefined; users: UserStore; passwords: Passwords },
) {
  const stop = new AbortController();
  const first = firstUser && createFirstUser(context, { firstUser, users, passwords });
  let isReady = false;

  async function prepare(): Promise<void> {
    await migrate(context);
    await first?.addIfAbsent();
    isReady = true;
  }

  const done = keepTrying(context, stop.signal, prepare).then(() => (isReady ? first?.checkPassword() : undefined));
  return {
    isReady: () => isReady,
    done,
    async close(): Promise<void> {
      stop.abort();
      await done.catch(() => undefined);
    },
  };
}

async function keepTrying({ logger }: IdentityContext, signal: AbortSignal, work: () => Promise<void>) {
  for (let delayMs = FIRST_DELAY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (error instanceof StartError) throw error;
      logger[isRedisUnavailable(error) ? 'debug' : 'warn']({ err: error }, 'failed to prepare the data; retrying');
    }
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }
}
