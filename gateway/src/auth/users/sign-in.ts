import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import type { issueToken } from '../../contract.ts';
import type { Tokens } from '../tokens/token.ts';
import { unauthenticated } from '../unauthenticated.ts';
import { normaliseEmail } from './email.ts';
import type { Passwords } from './passwords.ts';
import type { Users } from './users.ts';

/** `POST /token`: issues a token for credentials; a failure takes the same time whether the user exists or not. */
export function createSignIn(users: Users, passwords: Passwords, tokens: Tokens) {
  return async ({ body, res }: Input<typeof issueToken>): Promise<Reply> => {
    const email = normaliseEmail(body.username);
    const user = email === undefined ? undefined : await users.find(email);
    // RFC 6749 section 5.1 requires it in addition to `Cache-Control`, which is among the common headers.
    res.setHeader('pragma', 'no-cache');
    if (!(await passwords.matches(user?.password_hash, body.password)) || !user) {
      throw unauthenticated('Incorrect username or password');
    }
    return json({
      access_token: tokens.issue(user.email),
      token_type: 'bearer',
      expires_in: tokens.ttlSeconds,
    });
  };
}
