import { apiKeysVariable } from '@agent-fleet/access/environment-keys';
import { normaliseEmail } from '@agent-fleet/access/records';
import { findWeakTokenSecrets, tokenVariables, toTokenConfig } from '@agent-fleet/access/tokens/token-config';
import {
  ConfigError,
  findWeakInternalTokens,
  findWeakness,
  integerVariable,
  parsed,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
} from '@agent-fleet/shared/config';
import { serviceVariables, toServiceConfig } from '@agent-fleet/shared/service-config';
import { z } from 'zod';
import { DEFAULT_COST } from './passwords/passwords.ts';

export type IdentityConfig = ReturnType<typeof readIdentityConfig>;

/** The first user. */
export interface FirstUser {
  email: string;
  password: string;
}

const MIN_ADMIN_PASSWORD = 8;

export const identityVariables = z.object({
  ...serviceVariables(8083, 9467),
  ...tokenVariables,
  API_KEYS: apiKeysVariable,
  ADMIN_EMAIL: parsed(parseEmail).optional().meta({ example: 'admin@example.com', description: 'the first user' }),
  ADMIN_PASSWORD: z.string().optional().meta({ secret: true, description: 'password of the first user' }),
  SIGN_IN_FAILURES_PER_ACCOUNT: integerVariable(0, 1_000_000).default(10).describe('and address, in 15 minutes'),
  AUDIT_RETENTION_DAYS: integerVariable(1, 3_650).default(90).describe('how long audit events are kept'),
  AUDIT_RETENTION_COUNT: integerVariable(100, 10_000_000).default(100_000).describe('how many of them are kept'),
  PASSWORD_HASH_MEMORY_KIB: integerVariable(8_192, 1_048_576)
    .default(DEFAULT_COST.memoryKib)
    .describe('memory of argon2id; a sign-in hashes a password of another cost again'),
  PASSWORD_HASH_PASSES: integerVariable(1, 20).default(DEFAULT_COST.passes).describe('passes of argon2id'),
});

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readIdentityConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(identityVariables, env);
  const signingKey = read.JWT_PRIVATE_KEY ?? read.JWT_SECRET;
  requireInProduction(read, { JWT_SECRET: signingKey, INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  refuseWeakInProduction(read, {
    ...findWeakTokenSecrets(read),
    ...findWeakInternalTokens(read),
    API_KEYS: read.API_KEYS.weak,
    ADMIN_PASSWORD:
      read.ADMIN_PASSWORD === undefined ? undefined : findWeakness(read.ADMIN_PASSWORD, MIN_ADMIN_PASSWORD),
  });
  return {
    ...toServiceConfig(read, 'agent-fleet-identity'),
    ...toTokenConfig(read),
    environmentKeys: read.API_KEYS,
    firstUser: toFirstUser(read.ADMIN_EMAIL, read.ADMIN_PASSWORD),
    /** Failed sign-ins per account and client address in 15 minutes; 0 is no limit. */
    signInFailures: read.SIGN_IN_FAILURES_PER_ACCOUNT,
    audit: { days: read.AUDIT_RETENTION_DAYS, count: read.AUDIT_RETENTION_COUNT },
    passwordHash: {
      memoryKib: read.PASSWORD_HASH_MEMORY_KIB,
      passes: read.PASSWORD_HASH_PASSES,
      parallelism: DEFAULT_COST.parallelism,
    },
  };
}

function toFirstUser(email: string | undefined, password: string | undefined): FirstUser | undefined {
  if (email !== undefined && password !== undefined) return { email, password };
  if (email === undefined && password === undefined) return undefined;
  throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: must be given together, or neither');
}

function parseEmail(text: string): string {
  const email = normaliseEmail(text);
  if (email === undefined) throw new Error('must be an e-mail address');
  return email;
}
