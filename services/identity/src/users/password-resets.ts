import { randomBytes } from 'node:crypto';
import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { detailError } from '@agent-fleet/shared/http/errors';
import { originOf, toEntry } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import type { StoredUser } from '../stores/user-store.ts';
import type { createPasswordReset, usePasswordReset } from './password-contract.ts';
import { RESET_MS } from './reset-store.ts';
import { createSetPassword, requireGoodPassword } from './set-password.ts';
import { requireUser, type UserParts } from './users.ts';

const CODE_BYTES = 32;
/** 256 bits in base64url. */
const CODE = /^[\w-]{43}$/;

/** The operations on reset codes. */
export function createPasswordResets(
  context: IdentityContext,
  { users, sessions, resets, passwords, failures }: UserParts,
) {
  const { redis, commit, durable } = context;
  const setPassword = createSetPassword(context, { users, sessions });

  /** The user of a code. @throws 404 */
  async function requireCode(code: string): Promise<{ user: StoredUser; digest: string }> {
    const digest = digestOfSecret(code);
    const userId = CODE.test(code) ? await resets.findUser(digest) : null;
    const user = userId === null ? undefined : await users.read(userId);
    if (user === undefined) throw detailError(404, 'Reset code not found');
    return { user, digest };
  }

  return {
    async create({ params, req }: Input<typeof createPasswordReset>): Promise<Reply> {
      const origin = originOf(req);
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const now = await retryConflicts(async () => {
        const user = await requireUser(users, params.user_id);
        const { id } = user.record;
        const created = await resets.toCreate(id, digestOfSecret(code));
        const at = await redisTime(redis);
        const entry = toEntry(origin, 'user.password_reset_created', ['user', id]);
        await commit([{ checks: [users.toKeep(user)] }, created], [entry]);
        return at;
      });
      await durable();
      const answer = { code, expires_at: new Date(now + RESET_MS).toISOString() };
      return json(answer, 201, { 'cache-control': 'no-store' });
    },

    async use({ params, body, req }: Input<typeof usePasswordReset>): Promise<Reply> {
      const { id, email } = (await requireCode(params.code)).user.record;
      requireGoodPassword('new_password', body.new_password, email);
      const hash = await passwords.hash(body.new_password);
      // Who has the code acts as the user.
      const origin = { ...originOf(req), actor: { type: 'user' as const, id, name: email } };
      await retryConflicts(async () => {
        const { user, digest } = await requireCode(params.code);
        const code = resets.toUse(id, digest);
        await setPassword(user, { hash, code, origin, action: 'user.password_reset' });
      });
      await durable();
      await failures.forget(email, origin.address);
      return { status: 204 };
    },

    /** @throws 404 for a code that is not valid */
    requireCode: async ({ code }: { code: string }) => void (await requireCode(code)),
  };
}
