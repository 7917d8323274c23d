import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { apiKeysVariable } from '@agent-fleet/access/environment-keys';
import { findWeakTokenSecrets, tokenVariables, toTokenConfig } from '@agent-fleet/access/tokens/token-config';
import { splitList } from '@agent-fleet/shared/comma-list';
import {
  ConfigError,
  findWeakInternalTokens,
  integerVariable,
  parsed,
  readConfig,
  refuseWeakInProduction,
  requireInProduction,
} from '@agent-fleet/shared/config';
import { serviceVariables, toServiceConfig } from '@agent-fleet/shared/service-config';
import { z } from 'zod';
import { type OidcIssuer, parseOidcIssuers } from './auth/oidc/issuers-file.ts';
import { parsePublicUrl, parseTrustedProxies } from './client-address.ts';
import { parseWebRoot } from './pages/web-files.ts';
import { UPSTREAM_NAMES, UPSTREAMS, type UpstreamName } from './routing/routes.ts';

export type GatewayConfig = ReturnType<typeof readGatewayConfig>;

/** Far above what a process can serve. */
const MAX_RATE_LIMIT = 1_000_000_000;
/** The default limit of failed authentications is the request limit divided by this. */
const AUTH_LIMIT_DIVISOR = 10;

export const gatewayVariables = z.object({
  ...serviceVariables(8080, 9464),
  ...createUrlVariables(),
  // Above the 30 s for which a service may hold a response when the client requests a wait.
  UPSTREAM_TIMEOUT_SECONDS: integerVariable(35, 600).default(60).describe('until the response to a long poll begins'),
  ...tokenVariables,
  API_KEYS: apiKeysVariable,
  OIDC_ISSUERS_FILE: z.string().optional().describe('JSON of [external issuers](users-and-keys.md#external-issuers)'),
  OIDC_ALLOW_INSECURE: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe('whether external issuers may use http and private addresses'),
  RATE_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT)
    .default(6_000)
    .describe('requests per principal or address'),
  AUTH_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT)
    .optional()
    .meta({ example: 600, description: 'failed authentications per address; otherwise a tenth of the limit above' }),
  SIGN_IN_LIMIT_PER_MINUTE: integerVariable(0, MAX_RATE_LIMIT)
    .default(60)
    .describe('sign-ins and refreshes per address'),
  TRUSTED_PROXIES: parsed(parseTrustedProxies)
    .default(new BlockList())
    .meta({ example: '10.0.0.0/8,192.168.7.1', description: 'addresses and CIDR ranges whose `X-Forwarded-*` count' }),
  PUBLIC_URL: parsed(parsePublicUrl)
    .optional()
    .meta({ example: 'https://example.com/fleet', description: 'where browsers find the fleet, if a proxy hides it' }),
  CORS_ORIGINS: parsed(parseCorsOrigins)
    .default([])
    .meta({ example: 'https://app.example.com,http://localhost:5173', description: 'origins of callers, or `*`' }),
  // The largest body that any operation accepts.
  MAX_BODY_BYTES: integerVariable(1024, 10 * 1024 ** 3)
    .default(1.5 * 1024 ** 2)
    .describe('largest request body'),
  MAX_CONNECTIONS_PER_ADDRESS: integerVariable(0, 1_000_000).default(1_000).describe('of a client to a process'),
  WEB_ROOT: parsed(parseWebRoot).optional().meta({ example: '/app/web', description: 'folder of the built pages' }),
});

/** The only reader of the environment in the gateway. @throws ConfigError with a line for every wrong variable */
export function readGatewayConfig(env: NodeJS.ProcessEnv) {
  const read = readConfig(gatewayVariables, env);
  const signingKey = read.JWT_PRIVATE_KEY ?? read.JWT_SECRET;
  requireInProduction(read, { JWT_SECRET: signingKey, INTERNAL_TOKEN: read.INTERNAL_TOKEN });
  refuseWeakInProduction(read, {
    ...findWeakTokenSecrets(read),
    ...findWeakInternalTokens(read),
    API_KEYS: read.API_KEYS.weak,
  });
  return {
    ...toServiceConfig(read, 'agent-fleet-gateway'),
    ...toTokenConfig(read),
    /** Base URLs. */
    upstreams: toUpstreamUrls(read),
    /** Timeout of operations that may wait, for the headers and between parts of the body; others: `routes.ts`. */
    upstreamTimeoutMs: read.UPSTREAM_TIMEOUT_SECONDS * 1_000,
    environmentKeys: read.API_KEYS,
    /** External issuers of tokens, and whether they may have http or private addresses. */
    oidc: toOidc(read),
    rateLimits: {
      perMinute: read.RATE_LIMIT_PER_MINUTE,
      authPerMinute: read.AUTH_LIMIT_PER_MINUTE ?? Math.ceil(read.RATE_LIMIT_PER_MINUTE / AUTH_LIMIT_DIVISOR),
      signInPerMinute: read.SIGN_IN_LIMIT_PER_MINUTE,
    },
    /** Proxies whose `X-Forwarded-*` headers are trusted. */
    trustedProxies: read.TRUSTED_PROXIES,
    /** Where browsers find the gateway; undefined: where the request says. */
    publicUrl: read.PUBLIC_URL,
    /** Origins that may use the API from a browser: exact ones, or `*` alone. */
    corsOrigins: read.CORS_ORIGINS,
    /** Maximum body of a proxied request. */
    maxBodyBytes: read.MAX_BODY_BYTES,
    /** Concurrent connections of one client to this process; 0 is no limit. */
    maxConnectionsPerAddress: read.MAX_CONNECTIONS_PER_ADDRESS,
    /** The folder of the catalogue and the console; undefined: no pages but those of the API. */
    webRoot: read.WEB_ROOT,
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
    const description = `base URL of ${name}; every address of its host name is a replica`;
    return parsed(parseOrigin).default(url).meta({ example, description });
  };
  const variables = UPSTREAM_NAMES.map((name) => [urlVariableOf(name), create(name)]);
  return Object.fromEntries(variables) as Record<UrlVariable, ReturnType<typeof create>>;
}

function toUpstreamUrls(read: Record<UrlVariable, string>): Record<UpstreamName, string> {
  const urls = UPSTREAM_NAMES.map((name) => [name, read[urlVariableOf(name)]]);
  return Object.fromEntries(urls) as Record<UpstreamName, string>;
}

function toOidc({ OIDC_ISSUERS_FILE: path, OIDC_ALLOW_INSECURE, JWT_ISSUER }: z.output<typeof gatewayVariables>): {
  issuers: OidcIssuer[];
  allowInsecure: boolean;
} {
  const allowInsecure = OIDC_ALLOW_INSECURE === 'true';
  if (path === undefined) return { issuers: [], allowInsecure };
  try {
    const issuers = parseOidcIssuers(readFileSync(path, 'utf8'), { allowInsecure });
    if (issuers.some(({ issuer }) => issuer === JWT_ISSUER))
      throw new Error('names JWT_ISSUER, the issuer of own tokens');
    return { issuers, allowInsecure };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(`OIDC_ISSUERS_FILE: ${code ? `names a file that cannot be read (${code})` : message}`);
  }
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) throw new Error('must be http://host:port, without a path');
  return url.origin;
}

/**
 * Reads `CORS_ORIGINS`: a comma-separated list of origins as browsers write them (`scheme://host[:port]`, without a
 * default port), or `*` alone. @throws Error for anything else
 */
function parseCorsOrigins(list: string): readonly string[] {
  const origins = splitList(list);
  if (origins.length === 1 && origins[0] === '*') return origins;
  for (const origin of origins) {
    if (!isOrigin(origin))
      throw new Error('must be a comma-separated list of origins (scheme://host[:port]), or * alone');
  }
  return origins;
}

/** Excludes `null`, the origin of sandboxed pages and local files, which anybody can use. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text;
}
