import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/connection';
import type { Credentials } from './email.ts';
import type { Passwords } from './passwords.ts';
import type { Users } from './users.ts';

const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 5_000;

/** Creates the first user unless it exists; while Redis is unavailable, it retries in the background. */
export function ensureFirstUser(
  credentials: Credentials | undefined,
  users: Users,
  passwords: Passwords,
  logger: Logger,
) {
  const stop = new AbortController();
  const firstUser = {
    /** Whether the user exists; true from the start when none is configured. */
    ready: credentials === undefined,
    async close() {
      stop.abort();
      await done;
    },
  };
  const done =
    credentials &&
    keepTrying(logger, stop.signal, async () => {
      await addIfAbsent(credentials, users, passwords, logger);
      firstUser.ready = true;
    });
  return firstUser;
}

async function addIfAbsent({ email, password }: Credentials, users: Users, passwords: Passwords, logger: Logger) {
  if (await users.find(email)) return;
  const user = { email, password_hash: await passwords.hash(password), created_at: new Date().toISOString() };
  if (await users.add(user)) logger.info({ user: email }, 'first user added');
}

async function keepTrying(logger: Logger, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  for (let delayMs = FIRST_DELAY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      logger[isRedisUnavailable(error) ? 'debug' : 'warn']({ err: error }, 'failed to add the first user; retrying');
    }
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }
}
