import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import {
  ConfigError,
  commonVariables,
  integerVariable,
  readConfig,
  requireInProduction,
  toCommonConfig,
} from '@agent-fleet/shared/config';
import { z } from 'zod';
import { parseApiKeys } from './auth/schemes/api-keys.ts';
import {
  fromPem,
  fromPublicPem,
  fromSecret,
  type SigningKey,
  type VerificationKey,
} from './auth/tokens/signing-key.ts';
import { type Credentials, normaliseEmail } from './auth/users/email.ts';
import { parseTrustedProxies } from './client-address.ts';
import { parseCorsOrigins } from './cors/cors-origins.ts';
import { defaultProcesses, MAX_PROCESSES } from './processes/default-processes.ts';
import { UPSTREAM_NAMES, UPSTREAMS, type UpstreamName } from './routing/routes.ts';
import { toTracingConfig, tracingVariables } from './tracing/tracing-config.ts';

export type GatewayConfig = ReturnType<typeof readGatewayConfig>;

/** Far above what a process can serve. */
const MAX_RATE_LIMIT = 1_000_000_000;
/** The default limit of failed authentications is the request limit divided by this. */
const AUTH_LIMIT_DIVISOR = 10;

const variables = z.object({
  ...commonVariables(8080),
  GATEWAY_PROCESSES: integerVariable(1, MAX_PROCESSES).default(defaultProcesses).meta({ example: 2 }),
  ...createUrlVariables(),
  METRICS_HOST: z.string().default('127.0.0.1').meta({ example: '127.0.0.1' }),
  METRICS_PORT: integerVariable(0, 65_535).default(9464).meta({ example: 9464 }),
  // Above the 30 s for which a service may hold a response when the client requests a wait.
  UPSTREAM_TIMEOUT_SECONDS: integerVariable(35, 600).default(60).meta({ example: 60 }),
  JWT_SECRET: parsed(fromSecret).optional().meta({ example: '$(openssl rand -hex 32)' }),
  JWT_PRIVATE_KEY_FILE: parsed((path) => fromPem(readKeyFile(path)))
    .optional()
    .meta({ example: '/run/secrets/jwt.pem' }),
  JWT_VERIFICATION_SECRET: parsed(toVerificationKey).optional().meta({ example: '$(openssl rand -hex 32)' }),
  JWT_VERIFICATION_KEY_FILE: parsed((path) => fromPublicPem(readKeyFile(path)))
    .optional()
    .meta({ example: '/run/secrets/jwt-before.pem' }),
  JWT_ISSUER: z.string().default('agent-fleet'),
  JWT_AUDIENCE: z.string().default('agent-fleet'),
  ACCESS_TOKEN_TTL_SECONDS: integerVariable(1, 86_400).default(1800).meta({ example: 1800 }),
  API_KEYS: parsed(parseApiKeys).default(parseApiKeys('')).meta({ example: 'ci:$(openssl rand -hex 24)' }),
  ADMIN_EMAIL: parsed(parseEmail).optional().meta({ example: 'admin@example.com' }),
  ADMIN_PASSWORD: z.string().optional(),
  RATE_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT).default(6_000).meta({ example: 6_000 }),
  AUTH_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT).optional().meta({ example: 600 }),
  SIGN_IN_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT).default(60).meta({ example: 60 }),
  TRUSTED_PROXIES: parsed(parseTrustedProxies).default(new BlockList()).meta({ example: '10.0.0.0/8,192.168.7.1' }),
  CORS_ORIGINS: parsed(parseCorsOrigins).default([]).meta({ example: 'https://app.example.com,http://localhost:5173' }),
  // The largest body that any operation accepts.
  MAX_BODY_BYTES: integerVariable(1024, 10 * 1024 ** 3)
    .default(1.5 * 1024 ** 2)
    .meta({ example: 1_572_864 }),
  MAX_CONNECTIONS_PER_ADDRESS: integerVariable(0, 1_000_000).default(1_000).meta({ example: 1_000 }),
  ...tracingVariables,
});

/** The only reader of the environment in the gateway. @throws ConfigError with a line for every wrong variable */
export function readGatewayConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(variables, env);
  const givenKey = read.JWT_PRIVATE_KEY_FILE ?? read.JWT_SECRET;
  requireInProduction(read, { JWT_SECRET: givenKey, INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  const secret = randomBytes(32).toString('base64');
  return {
    ...toCommonConfig(read),
    /** Processes that share the port; with more than one, an additional primary process supervises them. */
    processes: read.GATEWAY_PROCESSES,
    /** Where `/metrics` is served; for the internal network only. */
    metrics: { host: read.METRICS_HOST, port: read.METRICS_PORT },
    /** Base URLs. */
    upstreams: toUpstreamUrls(read),
    /** Timeout of operations that may wait, for the headers and between parts of the body; others: `routes.ts`. */
    upstreamTimeoutMs: read.UPSTREAM_TIMEOUT_SECONDS * 1_000,
    signingKey: givenKey ?? fromSecret(secret),
    /** The random secret of `signingKey` when none is given, in development. */
    temporarySecret: givenKey ? undefined : secret,
    /** The previous or next key, whose tokens are valid too during a key rotation. */
    verificationKey: chooseVerificationKey(read, givenKey),
    tokens: { issuer: read.JWT_ISSUER, audience: read.JWT_AUDIENCE, ttlSeconds: read.ACCESS_TOKEN_TTL_SECONDS },
    apiKeys: read.API_KEYS,
    firstUser: toFirstUser(read.ADMIN_EMAIL, read.ADMIN_PASSWORD),
    /** Requests per minute; 0 is no limit. */
    rateLimits: {
      /** For each principal, and each client address without credentials. */
      perMinute: read.RATE_LIMIT_PER_MINUTE,
      /** Failed authentications per client address. */
      authPerMinute: read.AUTH_LIMIT_PER_MINUTE ?? Math.ceil(read.RATE_LIMIT_PER_MINUTE / AUTH_LIMIT_DIVISOR),
      /** Sign-ins per client address. */
      signInPerMinute: read.SIGN_IN_LIMIT_PER_MINUTE,
    },
    /** Proxies whose `X-Forwarded-*` headers are trusted. */
    trustedProxies: read.TRUSTED_PROXIES,
    /** Origins that may use the API from a browser: exact ones, or `*` alone. */
    corsOrigins: read.CORS_ORIGINS,
    /** Maximum body of a proxied request. */
    maxBodyBytes: read.MAX_BODY_BYTES,
    /** Concurrent connections of one client to this process; 0 is no limit. */
    maxConnectionsPerAddress: read.MAX_CONNECTIONS_PER_ADDRESS,
    /** Undefined when spans are not exported. */
    tracing: toTracingConfig(read),
  };
}

type UrlVariable = `${Uppercase<UpstreamName>}_URL`;

function urlVariableOf(name: UpstreamName): UrlVariable {
  return `${name.toUpperCase()}_URL` as UrlVariable;
}

/** `AGENTS_URL` and so on: a variable for each upstream. */
function createUrlVariables() {
  const create = (name: UpstreamName) => {
    const { url } = UPSTREAMS[name];
    const example = url.replace('127.0.0.1', name);
    return parsed(parseOrigin).default(url).meta({ example });
  };
  const variables = UPSTREAM_NAMES.map((name) => [urlVariableOf(name), create(name)]);
  return Object.fromEntries(variables) as Record<UrlVariable, ReturnType<typeof create>>;
}

function toUpstreamUrls(read: Record<UrlVariable, string>): Record<UpstreamName, string> {
  const urls = UPSTREAM_NAMES.map((name) => [name, read[urlVariableOf(name)]]);
  return Object.fromEntries(urls) as Record<UpstreamName, string>;
}

function toFirstUser(email: string | undefined, password: string | undefined): Credentials | undefined {
  if (email !== undefined && password !== undefined) return { email, password };
  if (email === undefined && password === undefined) return undefined;
  throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: must be given together, or neither');
}

/** A string that `parse` converts; the message of its error describes the problem of the variable. */
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

function readKeyFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Without `sign`: it must not be possible to sign with it by mistake. */
function toVerificationKey(secret: string): VerificationKey {
  const { id, algorithm, verify } = fromSecret(secret);
  return { id, algorithm, verify };
}

function chooseVerificationKey(read: z.output<typeof variables>, signingKey?: SigningKey): VerificationKey | undefined {
  const { JWT_VERIFICATION_SECRET: secret, JWT_VERIFICATION_KEY_FILE: file } = read;
  const names = 'JWT_VERIFICATION_SECRET, JWT_VERIFICATION_KEY_FILE';
  if (secret && file) throw new ConfigError(`${names}: at most one of them may be given`);
  const chosen = secret ?? file;
  const isSame = chosen !== undefined && chosen.id === signingKey?.id;
  if (isSame) throw new ConfigError(`${names}: must differ from the signing key`);
  return chosen;
}
