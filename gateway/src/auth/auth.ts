import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import { exposeCounter } from '../observability/scraped-metrics.ts';
import { authenticate, type FailureLimits } from './authenticate.ts';
import { createBearerTokens } from './schemes/bearer-tokens.ts';
import { createJwks } from './tokens/jwks.ts';
import { createTokens } from './tokens/token.ts';
import { ensureFirstUser } from './users/first-user.ts';
import { createPasswords } from './users/passwords.ts';
import { createSignIn } from './users/sign-in.ts';
import { subscribeToUserChanges } from './users/user-changes.ts';
import { createUsers } from './users/users.ts';

export type Auth = ReturnType<typeof createAuth>;

interface AuthDependencies {
  redis: RedisClient;
  registry: Registry;
  limits: FailureLimits;
  logger: Logger;
}

/** Composes authentication, sign-in and the first user. */
export function createAuth(config: GatewayConfig, { redis, registry, limits, logger }: AuthDependencies) {
  const users = createUsers(redis, config.redis.prefix);
  const passwords = createPasswords();
  const { signingKey, verificationKey } = config;
  const tokens = createTokens(signingKey, config.tokens, verificationKey);
  const bearerTokens = createBearerTokens(tokens, users);
  exposeCounter(registry, {
    name: 'gateway_credential_cache_total',
    help: 'Bearer tokens found in the cache of verified tokens (hit), or not (miss)',
    labelNames: ['result'],
    read: () => Object.entries(bearerTokens.lookups).map(([result, count]) => [{ result }, count] as const),
  });
  const userChanges = subscribeToUserChanges(config.redis, logger, bearerTokens.clear);
  const firstUser = ensureFirstUser(config.firstUser, users, passwords, logger);
  return {
    authenticate: authenticate({ config, bearerTokens }, limits),
    signIn: createSignIn(users, passwords, tokens),
    /** The public keys that verify tokens. */
    jwks: createJwks(verificationKey ? [signingKey, verificationKey] : [signingKey]),
    firstUser,
    async close() {
      await firstUser.close();
      await userChanges.close();
    },
  };
}
