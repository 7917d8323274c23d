import { randomBytes } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import { authenticate, type FailureLimits } from './authenticate.ts';
import { createBearerTokens } from './bearer.ts';
import { countCacheLookups } from './cache-metrics.ts';
import { ensureFirstUser, type FirstUser } from './first-user.ts';
import { createJwks } from './jwks.ts';
import { createPasswords } from './passwords.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { fromSecret, type SigningKey } from './signing-key.ts';
import { createTokens } from './token.ts';
import { followUserChanges } from './user-changes.ts';
import { createUsers } from './users.ts';

export interface Auth {
  authenticate: RequestHandler;
  signIn: SignIn;
  /** The public keys by which tokens can be verified. */
  jwks: { text: string; etag: string };
  firstUser: FirstUser;
  close(): Promise<void>;
}

interface AuthDependencies {
  redis: RedisClient;
  registry: Registry;
  limits: FailureLimits;
  logger: Logger;
}

/** Everything about credentials, put together. */
export function createAuth(config: GatewayConfig, { redis, registry, limits, logger }: AuthDependencies): Auth {
  const users = createUsers(redis, config.redis.prefix);
  const passwords = createPasswords();
  const { signingKey = temporaryKey(logger), verificationKey } = config;
  const tokens = createTokens(signingKey, config.tokens, verificationKey);
  const bearerTokens = createBearerTokens(tokens, users);
  countCacheLookups(registry, bearerTokens);
  const userChanges = followUserChanges(config.redis, logger, bearerTokens.clear);
  const firstUser = ensureFirstUser(config.firstUser, users, passwords, logger);
  return {
    authenticate: authenticate(bearerTokens, config.apiKeys, limits),
    signIn: createSignIn(users, passwords, tokens),
    jwks: createJwks(verificationKey ? [signingKey, verificationKey] : [signingKey]),
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
