import { hash } from 'node:crypto';
import { httpError, overloaded } from '@agent-fleet/shared/http/errors';
import { toNetwork } from '@agent-fleet/shared/network';
import type { IdentityContext } from '../redis/context.ts';

const WINDOW_SECONDS = 900;
/** As many as may wait for a hash. */
const MAX_WAITING = 150;

export type Failures = ReturnType<typeof createFailures>;

/**
 * Limits wrong passwords to `limit` (0: no limit) in 15 minutes for an account from one network, so that nobody can
 * lock out others. All replicas count together, and whether or not the account exists.
 */
export function createFailures({ writes, keys }: Pick<IdentityContext, 'writes' | 'keys'>, limit: number) {
  const takeTurn = createTurns();

  /** Counts before the check, so that parallel guesses are no more than others. @throws 429 above the limit */
  async function take(key: string): Promise<void> {
    const replies = await writes.run((redis) =>
      redis.multi().set(key, 0, 'EX', WINDOW_SECONDS, 'NX').incr(key).ttl(key).exec(),
    );
    const [count, ttl] = (replies ?? []).slice(1).map(([error, value]) => {
      if (error) throw error;
      return Number(value);
    });
    if (count === undefined || count <= limit) return;
    const retryAfter = String(Math.max(1, ttl ?? WINDOW_SECONDS));
    throw httpError('rate_limited', 'Too many failed sign-ins; try again later', {
      headers: { 'retry-after': retryAfter },
      rejectedBy: 'sign_in_failures',
    });
  }

  async function giveBack(key: string): Promise<void> {
    await writes.run((redis) => redis.multi().set(key, 0, 'EX', WINDOW_SECONDS, 'NX').decr(key).exec());
  }

  function keyOf(account: string, address: string): string {
    const folded = account.normalize('NFC').trim().toLowerCase();
    return keys.failures(hash('sha256', `${folded}|${toNetwork(address)}`));
  }

  return {
    /** Lets an account sign in from an address at once. */
    async forget(account: string, address: string): Promise<void> {
      await writes.run((redis) => redis.del(keyOf(account, address)));
    },

    /**
     * Runs work of an account at an address after that before it here: many at once with the right password neither
     * reach the limit nor conflict with each other. @throws 503 `overloaded` when too many wait
     */
    inTurn: <Result>(account: string, address: string, work: () => Promise<Result>): Promise<Result> =>
      takeTurn(keyOf(account, address), work),

    /**
     * Runs `check` of a password and returns its result. `account` is what the client sent, or the e-mail address.
     * @throws 429 `rate_limited` with `Retry-After` above the limit
     */
    async attempt(account: string, address: string, check: () => Promise<boolean>): Promise<boolean> {
      if (limit === 0) return check();
      const key = keyOf(account, address);
      await take(key);
      const isRight = await check().catch(async (error: unknown) => {
        await giveBack(key).catch(() => undefined);
        throw error;
      });
      if (isRight) await writes.run((redis) => redis.del(key));
      return isRight;
    },
  };
}

/** Runs the work of each key one after another; that of other keys meanwhile. @throws 503 when too many wait */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  let waiting = 0;

  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(key);
    if (before && waiting >= MAX_WAITING) throw overloaded('Too many sign-ins at once; try again', 'sign_in_turns');
    const mine = before ? afterwards(before, work) : work();
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };

  async function afterwards<Result>(before: Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
    waiting += 1;
    await before.finally(() => {
      waiting -= 1;
    });
    return work();
  }
}
