import { defineOperation, type ErrorDoc, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';

const RATE_LIMIT_HEADERS: Record<string, HeaderDoc> = {
  ...RETRY_AFTER,
  'RateLimit-Policy': {
    description: 'Name of the limit, its quota `q` in requests, and its window `w` in seconds.',
    schema: { type: 'string', example: '"principal";q=6000;w=60' },
    required: true,
  },
  RateLimit: {
    description:
      'The remaining requests `r`, and the seconds `t` until the full quota is available again. Every response to a rate-limited request has it.',
    schema: { type: 'string', example: '"principal";r=0;t=60' },
    required: true,
  },
};

/** The error of every rate-limited operation. */
export const RATE_LIMITED: ErrorDoc = {
  status: 429,
  description: 'Too many requests from this principal or address.',
  example: { error: 'rate_limited', message: 'Too many requests; try again in 1 s' },
  headers: RATE_LIMIT_HEADERS,
};

const ETAG = {
  ETag: { description: 'Entity tag of the content.', schema: { type: 'string' as const }, required: true },
};
const IF_NONE_MATCH = {
  'If-None-Match': { description: 'Entity tag of a cached copy.', schema: { type: 'string' as const } },
};

const publicKeyOf = { use: z.literal('sig'), kid: z.string().meta({ description: 'RFC 7638 thumbprint.' }) };
const publicKey = z
  .discriminatedUnion('kty', [
    z
      .object({ kty: z.literal('RSA'), n: z.string(), e: z.string(), alg: z.literal('RS256'), ...publicKeyOf })
      .meta({ id: 'RsaPublicKey' }),
    z
      .object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        alg: z.literal('ES256'),
        ...publicKeyOf,
      })
      .meta({ id: 'EcPublicKey' }),
  ])
  .meta({ id: 'PublicKey', description: 'A JSON Web Key (RFC 7517, RFC 7518 section 6).' });

const checks = z.record(z.string(), z.string()).meta({ description: '`ok`, or what is wrong, by dependency.' });
const readiness = z
  .object({ status: z.enum(['ready', 'not_ready', 'stopping']), checks })
  .meta({ id: 'Readiness', description: 'Whether the gateway can serve requests, with the state of each dependency.' });

export const readProtected = defineOperation({
  id: 'readProtected',
  method: 'get',
  path: '/protected',
  tag: 'Authentication',
  summary: 'Get the authenticated user',
  security: 'bearer',
  scope: 'signed-in',
  responses: {
    200: {
      description: 'The user of the token.',
      schema: z.object({ user: z.string().meta({ description: 'E-mail address.' }) }).meta({ id: 'AuthenticatedUser' }),
      example: { user: 'admin@example.com' },
    },
  },
  errors: [
    RATE_LIMITED,
    {
      status: 403,
      description: 'The request also has an `X-API-Key`, which is not a valid key.',
      example: { detail: 'Invalid API key' },
    },
  ],
});

const JWKS_HEADERS: Record<string, HeaderDoc> = {
  ...ETAG,
  'Cache-Control': { description: 'Always `public, max-age=300`.', schema: { type: 'string' }, required: true },
};

export const readJwks = defineOperation({
  id: 'readJwks',
  method: 'get',
  path: '/.well-known/jwks.json',
  tag: 'Authentication',
  summary: 'Get the public keys that verify access tokens',
  description:
    'A JWK Set (RFC 7517). It holds the signing key and, during a key rotation, the previous or the next one. A token names its key in `kid`. ' +
    'The set is empty if tokens are signed with a shared secret (HS256).',
  security: 'public',
  needsStore: false,
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: {
      description: 'All public keys that verify tokens.',
      headers: JWKS_HEADERS,
      schema: z.object({ keys: z.array(publicKey) }).meta({ id: 'PublicKeys' }),
      example: {
        keys: [
          {
            crv: 'P-256',
            kty: 'EC',
            x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
            y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
            use: 'sig',
            alg: 'ES256',
            kid: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
          },
        ],
      },
    },
    304: { description: 'The client has the current keys.', headers: JWKS_HEADERS },
  },
  errors: [RATE_LIMITED],
});

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  tag: 'Gateway',
  summary: 'Liveness check',
  security: 'public',
  needsStore: false,
  responses: {
    200: {
      description: 'The process is alive.',
      schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
      example: { status: 'ok' },
    },
  },
});

export const readReadiness = defineOperation({
  id: 'readReadiness',
  method: 'get',
  path: '/ready',
  tag: 'Gateway',
  summary: 'Readiness check',
  security: 'public',
  responses: {
    200: {
      description: 'The gateway is ready: Redis and every service respond.',
      schema: readiness,
      example: { status: 'ready', checks: { redis: 'ok', agents: 'ok', registry: 'ok' } },
    },
    503: {
      description: 'A dependency does not respond, or the gateway is stopping.',
      headers: RETRY_AFTER,
      schema: readiness,
      example: { status: 'not_ready', checks: { redis: 'ok', agents: 'no address', registry: 'ok' } },
    },
  },
});

export const readOpenApi = defineOperation({
  id: 'readOpenApi',
  method: 'get',
  path: '/openapi.json',
  tag: 'Gateway',
  summary: 'Get this OpenAPI document',
  security: 'public',
  needsStore: false,
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      headers: ETAG,
      schema: z
        .looseObject({
          openapi: z.string(),
          info: z.record(z.string(), z.unknown()),
          paths: z.record(z.string(), z.unknown()),
        })
        .meta({ id: 'OpenApiDocument' }),
      example: { openapi: '3.1.0', info: { title: 'Agent Fleet API', version: '1.0.0' }, paths: {} },
    },
    304: { description: 'The client has the current document.', headers: ETAG },
  },
  errors: [
    RATE_LIMITED,
    {
      status: 503,
      description: 'A service has not sent its OpenAPI document since the gateway started.',
      example: {
        error: 'unavailable',
        message: 'The agents service has not sent its OpenAPI document yet; try again',
      },
      headers: RETRY_AFTER,
    },
  ],
});

export const downloadClient = defineOperation({
  ...page('downloadClient', '/download/{file}', 'Download a client of this version'),
  description:
    '`fleet.tgz` is the package for npm, with the command line, the worker and the SDK for TypeScript: ' +
    '`npx --package <address>/download/fleet.tgz#<version> fleet worker`, where npx keeps an earlier one without the version. ' +
    '`agent_fleet-<version>-py3-none-any.whl` is the package for Python, for `pip install`.',
  params: z.object({ file: z.string().meta({ description: 'Name of the file.', example: 'fleet.tgz' }) }),
  responses: publicFile('application/octet-stream', z.string().meta({ format: 'binary' })),
  errors: [
    RATE_LIMITED,
    {
      status: 404,
      description: 'This build has no such file.',
      example: { error: 'not_found', message: 'This build of Agent Fleet has no such client' },
    },
  ],
});

export const showDocs = page('showDocs', '/docs', 'Open Swagger UI, which can send requests');
export const showRedoc = page('showRedoc', '/redoc', 'Open the ReDoc reference');

function page(id: string, path: string, summary: string) {
  return defineOperation({
    id,
    method: 'get',
    path,
    tag: 'Gateway',
    summary,
    security: 'public',
    needsStore: false,
    responses: publicFile('text/html', z.string()),
    errors: [RATE_LIMITED],
  });
}

function publicFile(contentType: string, schema: z.ZodType) {
  return {
    200: { description: 'The file.', contentType, schema, headers: ETAG },
    304: { description: 'The client has the current file.', headers: ETAG },
  };
}

/** The groups of the gateway's own operations; identity has the first one, too. */
export const TAGS = {
  authentication: {
    name: 'Authentication',
    description: 'Access tokens, sessions of browsers, and the keys that verify tokens.',
  },
  gateway: { name: 'Gateway', description: 'Health, documentation and this document.' },
};

/** First in the combined document. */
export const AUTHENTICATION_OPERATIONS = [readProtected, readJwks];
/** Last in it. */
export const GATEWAY_OPERATIONS = [readHealth, readReadiness, readOpenApi, downloadClient, showDocs, showRedoc];
