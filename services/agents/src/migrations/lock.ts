import { randomUUID } from 'node:crypto';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { RedisStore } from '@agent-fleet/shared/redis/store';

/** A Redis command with its arguments. */
type Command = (string | number)[];

/** Runs commands as one atomic step. @throws LockLost; nothing is written then */
export type Write = (commands: readonly Command[]) => Promise<void>;

/** The lock has expired: another process may hold it. */
export class LockLost extends Error {
  override name = 'LockLost';
}

/**
 * Runs `run` while no other process does. The lock `key` expires `lockMs` after its holder has crashed. `run` may only
 * write by its argument, in the slot of `key`. Returns false when another process holds the lock.
 */
export async function withLock(
  store: RedisStore,
  key: string,
  lockMs: number,
  run: (write: Write) => Promise<void>,
): Promise<boolean> {
  const writeIfLocked = loadScript(store, new URL('./write-if-locked-1.lua', import.meta.url));
  const token = randomUUID();
  const write: Write = async (commands) => {
    const words = commands.flatMap((command) => [command.length, ...command]);
    if ((await writeIfLocked([key], [token, lockMs, ...words])) !== 1) throw new LockLost(key);
  };
  const claimed = await store.writes.run((redis) => redis.set(key, token, 'PX', lockMs, 'NX'));
  if (claimed === null) return false;
  // The next write notices a lost lock.
  const renewal = setInterval(() => void write([]).catch(() => {}), lockMs / 3);
  try {
    await run(write);
  } finally {
    clearInterval(renewal);
    // If this fails, the lock expires.
    await write([['DEL', key]]).catch(() => {});
  }
  return true;
}
