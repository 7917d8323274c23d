import { ConfigError, findWeakness, integerVariable, parsed } from '@agent-fleet/shared/config';
import { z } from 'zod';
import { fromPem, fromPublicPem, fromSecret, type SigningKey, type VerificationKey } from './signing-key.ts';
import type { TokenSettings } from './token.ts';

/** 32 bytes are required; a repeated letter would be no secret. */
const MIN_SECRET_LENGTH = 16;

/** The variables of tokens, which the gateway and identity read. */
export const tokenVariables = {
  JWT_SECRET: secretVariable(toSecret, '$(openssl rand -hex 32)', 'signs tokens with HS256: at least 32 bytes'),
  JWT_PRIVATE_KEY: secretVariable(fromPem, '$(cat jwt.pem)', 'PEM, for RS256 or ES256, in place of `JWT_SECRET`'),
  JWT_VERIFICATION_SECRET: secretVariable(
    toSecret,
    '$(openssl rand -hex 32)',
    'accepted too, to [rotate](rotate-secrets.md)',
  ),
  JWT_VERIFICATION_KEY: secretVariable(fromPublicPem, '$(cat jwt-before.pem)', 'the same as PEM, public or private'),
  JWT_ISSUER: z.string().default('agent-fleet').describe('issuer of tokens'),
  JWT_AUDIENCE: z.string().default('agent-fleet').describe('audience of tokens'),
  ACCESS_TOKEN_TTL_SECONDS: integerVariable(1, 86_400).default(1800).describe('lifetime of a token'),
};

function secretVariable<Value>(parse: (text: string) => Value, example: string, description: string) {
  return parsed(parse).optional().meta({ example, secret: true, description });
}

type Read = z.output<z.ZodObject<typeof tokenVariables>>;

/** The keys and settings of tokens. */
export interface TokenConfig {
  signingKey: SigningKey;
  /** The previous or next key, whose tokens are valid too during a key rotation. */
  verificationKey: VerificationKey | undefined;
  tokens: TokenSettings;
}

/** @throws ConfigError without a signing key, or when both keys are the same */
export function toTokenConfig(read: Read): TokenConfig {
  const signingKey = read.JWT_PRIVATE_KEY ?? read.JWT_SECRET?.key;
  if (!signingKey) {
    throw new ConfigError(
      'JWT_SECRET: is required, or JWT_PRIVATE_KEY_FILE (example: JWT_SECRET=$(openssl rand -hex 32))',
    );
  }
  return {
    signingKey,
    verificationKey: chooseVerificationKey(read, signingKey),
    tokens: { issuer: read.JWT_ISSUER, audience: read.JWT_AUDIENCE, ttlSeconds: read.ACCESS_TOKEN_TTL_SECONDS },
  };
}

/** The rules that the secrets of tokens break in production. */
export function findWeakTokenSecrets({ JWT_SECRET, JWT_VERIFICATION_SECRET }: Read) {
  return { JWT_SECRET: JWT_SECRET?.weakness, JWT_VERIFICATION_SECRET: JWT_VERIFICATION_SECRET?.weakness };
}

function chooseVerificationKey(read: Read, signingKey: SigningKey): VerificationKey | undefined {
  const { JWT_VERIFICATION_SECRET: secret, JWT_VERIFICATION_KEY: key } = read;
  const names = 'JWT_VERIFICATION_SECRET, JWT_VERIFICATION_KEY_FILE';
  if (secret && key) throw new ConfigError(`${names}: at most one of them may be given`);
  const chosen = secret ? withoutSign(secret.key) : key;
  if (chosen?.id === signingKey.id) throw new ConfigError(`${names}: must differ from the signing key`);
  return chosen;
}

function toSecret(text: string): { key: SigningKey; weakness: string | undefined } {
  return { key: fromSecret(text), weakness: findWeakness(text, MIN_SECRET_LENGTH) };
}

/** It must not be possible to sign with it by mistake. */
function withoutSign({ id, algorithm, verify }: SigningKey): VerificationKey {
  return { id, algorithm, verify };
}
