import { hash } from 'node:crypto';
import { type Origin, toEntry } from '../http/origin.ts';
import type { IdentityContext } from '../redis/context.ts';
import { toNetwork } from './network.ts';

/** Writes failed sign-ins to the log and the audit trail. `account`: what the client gave as user name. */
export function createFailureReports({ redis, keys, logger, commit }: IdentityContext) {
  async function audit(action: string, account: string, origin: Origin, userId?: string): Promise<void> {
    const actor = { type: 'anonymous', id: null, name: account } as const;
    const target = userId === undefined ? null : { type: 'user', id: userId };
    await commit({ commands: [], audit: [toEntry(origin, { actor, action, target, outcome: 'failure' })] });
  }

  return {
    /** `userId`: that of the account, if it exists. */
    async failed(account: string, origin: Origin, userId: string | undefined): Promise<void> {
      const { address, requestId: request_id } = origin;
      logger.info({ account, address, request_id }, 'sign-in failed');
      await audit('sign_in.failed', account, origin, userId);
    },

    /** Once for each time that an account and an address reach the limit, not for every attempt above it. */
    async limited(account: string, origin: Origin, seconds: number): Promise<void> {
      const { address, requestId: request_id } = origin;
      const key = keys.failures(hash('sha256', `limited|${account}|${toNetwork(address)}`));
      if ((await redis.set(key, '1', 'EX', Math.max(1, seconds), 'NX')) !== 'OK') return;
      logger.warn({ account, address, request_id }, 'too many failed sign-ins');
      await audit('sign_in.limited', account, origin);
    },
  };
}
