import { randomBytes } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis';
import type { RequestHandler } from 'express';
import type { GatewayConfig } from '../config.ts';
import { authenticate } from './authenticate.ts';
import { createBearerTokens } from './bearer.ts';
import { ensureFirstUser, type FirstUser } from './first-user.ts';
import { createPasswords } from './passwords.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { fromSecret, type SigningKey } from './signing-key.ts';
import { createTokens } from './token.ts';
import { followUserChanges } from './user-changes.ts';
import { createUsers } from './users.ts';

export interface Auth {
  authenticate: RequestHandler;
  signIn: SignIn;
  firstUser: FirstUser;
  close(): Promise<void>;
}

/** Everything about credentials, put together. */
export function createAuth(config: GatewayConfig, redis: RedisClient, logger: Logger): Auth {
  const users = createUsers(redis, config.redis.prefix);
  const passwords = createPasswords();
  const tokens = createTokens(config.signingKey ?? temporaryKey(logger), config.tokens);
  const bearerTokens = createBearerTokens(tokens, users);
  const userChanges = followUserChanges(config.redis, logger, bearerTokens.clear);
  const firstUser = ensureFirstUser(config.firstUser, users, passwords, logger);
  return {
    authenticate: authenticate(bearerTokens, config.apiKeys),
    signIn: createSignIn(users, passwords, tokens),
    firstUser,
    async close() {
      await firstUser.close();
      await userChanges.close();
    },
  };
}

function temporaryKey(logger: Logger): SigningKey {
  logger.warn('JWT_SECRET is not set: access tokens end with this process, and no other replica takes them');
  return fromSecret(randomBytes(32).toString('base64'));
}
