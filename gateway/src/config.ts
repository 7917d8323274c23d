import { readFileSync } from 'node:fs';
import {
  type CommonConfig,
  ConfigError,
  commonVariables,
  integerVariable,
  readConfig,
  requireInProduction,
  toCommonConfig,
} from '@agent-fleet/shared/config';
import { z } from 'zod';
import { type ApiKeys, parseApiKeys } from './auth/api-keys.ts';
import { type Credentials, normaliseEmail } from './auth/email.ts';
import { fromPem, fromSecret, type SigningKey } from './auth/signing-key.ts';

export interface GatewayConfig extends CommonConfig {
  /** Where `/metrics` is served: for the inner network only. */
  metrics: { host: string; port: number };
  upstreams: { agents: string; registry: string };
  /** Until the head of a proxied answer has come, and between parts of its body. */
  upstreamTimeoutMs: number;
  /** Undefined, in development only: a random one is made at start. */
  signingKey: SigningKey | undefined;
  tokens: { issuer: string; audience: string; ttlSeconds: number };
  apiKeys: ApiKeys;
  firstUser: Credentials | undefined;
}

const variables = z.object({
  ...commonVariables(8080),
  AGENTS_URL: parsed(parseOrigin).default('http://127.0.0.1:8081').meta({ example: 'http://agents:8081' }),
  REGISTRY_URL: parsed(parseOrigin).default('http://127.0.0.1:8082').meta({ example: 'http://registry:8082' }),
  METRICS_HOST: z.string().default('127.0.0.1').meta({ example: '127.0.0.1' }),
  METRICS_PORT: integerVariable(0, 65_535).default(9464).meta({ example: 9464 }),
  // Above the 30 s for which a service may hold an answer back when it is asked to wait.
  UPSTREAM_TIMEOUT_SECONDS: integerVariable(35, 600).default(60).meta({ example: 60 }),
  JWT_SECRET: parsed(fromSecret).optional().meta({ example: '$(openssl rand -hex 32)' }),
  JWT_PRIVATE_KEY_FILE: parsed(readKeyFile).optional().meta({ example: '/run/secrets/jwt.pem' }),
  JWT_ISSUER: z.string().default('agent-fleet'),
  JWT_AUDIENCE: z.string().default('agent-fleet'),
  ACCESS_TOKEN_TTL_SECONDS: integerVariable(1, 86_400).default(1800).meta({ example: 1800 }),
  API_KEYS: parsed(parseApiKeys).default(parseApiKeys('')).meta({ example: 'ci:$(openssl rand -hex 24)' }),
  ADMIN_EMAIL: parsed(parseEmail).optional().meta({ example: 'admin@example.com' }),
  ADMIN_PASSWORD: z.string().optional(),
});

/** The only reader of the environment here. @throws ConfigError with a line for every wrong variable */
export function readGatewayConfig(env: NodeJS.ProcessEnv): GatewayConfig {
  const read = readConfig(variables, env);
  const signingKey = read.JWT_PRIVATE_KEY_FILE ?? read.JWT_SECRET;
  requireInProduction(read, { JWT_SECRET: signingKey, INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  return {
    ...toCommonConfig(read),
    metrics: { host: read.METRICS_HOST, port: read.METRICS_PORT },
    upstreams: { agents: read.AGENTS_URL, registry: read.REGISTRY_URL },
    upstreamTimeoutMs: read.UPSTREAM_TIMEOUT_SECONDS * 1_000,
    signingKey,
    tokens: { issuer: read.JWT_ISSUER, audience: read.JWT_AUDIENCE, ttlSeconds: read.ACCESS_TOKEN_TTL_SECONDS },
    apiKeys: read.API_KEYS,
    firstUser: toFirstUser(read.ADMIN_EMAIL, read.ADMIN_PASSWORD),
  };
}

function toFirstUser(email: string | undefined, password: string | undefined): Credentials | undefined {
  if (email !== undefined && password !== undefined) return { email, password };
  if (email === undefined && password === undefined) return undefined;
  throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: must be given together, or neither');
}

/** A text that `parse` turns into a value; what it throws is the variable's problem. */
function parsed<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, context): Value => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  });
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) throw new Error('must be http://host:port, without a path');
  return url.origin;
}

function parseEmail(text: string): string {
  const email = normaliseEmail(text);
  if (email === undefined) throw new Error('must be an e-mail address');
  return email;
}

function readKeyFile(path: string): SigningKey {
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    throw new Error(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return fromPem(pem);
}
