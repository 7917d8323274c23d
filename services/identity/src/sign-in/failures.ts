import { hash } from 'node:crypto';
import { httpError, overloaded } from '@agent-fleet/shared/http/errors';
import type { IdentityContext } from '../redis/context.ts';
import { toNetwork } from './network.ts';
import { createTurns } from './turns.ts';

const WINDOW_SECONDS = 900;
/** As many as may wait for a hash. */
const MAX_WAITING = 150;

export type Failures = ReturnType<typeof createFailures>;

/**
 * Limits wrong passwords to `limit` (0: no limit) in 15 minutes for an account from one network, so that nobody can
 * lock out others. All replicas count together, and whether or not the account exists.
 */
export function createFailures({ redis, keys }: Pick<IdentityContext, 'redis' | 'keys'>, limit: number) {
  const turns = createTurns(MAX_WAITING, () => overloaded('Too many sign-ins at once; try again', 'sign_in_turns'));

  /** Counts before the check, so that parallel guesses are no more than others. @throws 429 above the limit */
  async function take(key: string): Promise<void> {
    const replies = await redis.multi().set(key, 0, 'EX', WINDOW_SECONDS, 'NX').incr(key).ttl(key).exec();
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
    await redis.multi().set(key, 0, 'EX', WINDOW_SECONDS, 'NX').decr(key).exec();
  }

  function keyOf(account: string, address: string): string {
    const folded = account.normalize('NFC').trim().toLowerCase();
    return keys.failures(hash('sha256', `${folded}|${toNetwork(address)}`));
  }

  return {
    /** Lets an account sign in from an address at once. */
    async forget(account: string, address: string): Promise<void> {
      await redis.del(keyOf(account, address));
    },

    /**
     * Runs `check` of a password and returns its result. `account` is what the client sent, or the e-mail address.
     * Attempts on one account from one network run one after another here: many at once with the right password do not
     * reach the limit.
     *
     * @throws 429 `rate_limited` with `Retry-After` above the limit, 503 `overloaded` when too many wait
     */
    async attempt(account: string, address: string, check: () => Promise<boolean>): Promise<boolean> {
      if (limit === 0) return check();
      const key = keyOf(account, address);
      return turns.run(key, async () => {
        await take(key);
        const isRight = await check().catch(async (error: unknown) => {
          await giveBack(key).catch(() => undefined);
          throw error;
        });
        if (isRight) await redis.del(key);
        return isRight;
      });
    },
  };
}
