import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { etagOf, noneMatchHits } from '../http/etag.ts';
import { type ErrorDoc, type HeaderDoc, type Operation, RETRY_AFTER, type ResponseDoc, type Tag } from './operation.ts';
import { REQUIRED_SCOPE, requiredScope, SECURITY_SCHEMES, toSecurity } from './security-schemes.ts';

const FIELD_ERROR_SCHEMA = z
  .object({ path: z.string(), code: z.string(), message: z.string() })
  .meta({ id: 'FieldError', description: 'An invalid field. `path` joins the keys with dots.' });

const ERROR_DETAILS_SCHEMA = z
  .object({
    fields: z.array(FIELD_ERROR_SCHEMA).optional().meta({ description: 'Every invalid field of a validation error.' }),
    required: z.string().optional().meta({ description: 'The scope that is missing.', example: 'tasks:write' }),
  })
  .meta({ id: 'ErrorDetails' });

/** The error body of all that has no other. */
export const ERROR_SCHEMA = z
  .object({
    error: z.string().meta({ description: 'Error code, from a closed list.', example: 'validation_error' }),
    message: z.string().meta({ description: 'Explanation for people.' }),
    details: ERROR_DETAILS_SCHEMA.optional(),
  })
  .meta({ id: 'ErrorBody' });

const DETAIL_SCHEMA = z.object({ detail: z.string() }).meta({
  id: 'Detail',
  description: 'The error body of a 401, of an invalid API key, and of a record that does not exist.',
});

const OAUTH_ERROR_SCHEMA = z
  .object({ error: z.string(), error_description: z.string() })
  .meta({ id: 'OAuthError', description: 'The error body of RFC 6749 section 5.2.' });

const ERROR_SCHEMAS = [ERROR_SCHEMA, DETAIL_SCHEMA, OAUTH_ERROR_SCHEMA];
/** Where a status has errors of two kinds. */
const REFUSAL_SCHEMA = z.union([ERROR_SCHEMA, DETAIL_SCHEMA]).meta({ id: 'Refusal' });
const TOKEN_ERROR_SCHEMA = z.union([ERROR_SCHEMA, OAUTH_ERROR_SCHEMA]).meta({ id: 'TokenError' });

const REQUEST_ID: Record<string, HeaderDoc> = {
  'X-Request-Id': { description: 'Identifies this request in the logs.', schema: { type: 'string' }, required: true },
};
const CHALLENGE: Record<string, HeaderDoc> = {
  'WWW-Authenticate': {
    description: 'Always `Bearer`.',
    schema: { type: 'string', example: 'Bearer' },
    required: true,
  },
};

/** Creates the OpenAPI 3.1 document of `operations`. @throws Error for an operation whose tag is not in `tags` */
export function createDocument(title: string, tags: Tag[], operations: readonly Operation[]) {
  for (const { id, tag } of operations) {
    if (!tags.some(({ name }) => name === tag)) throw new Error(`${id}: the tag ${tag} is not declared`);
  }
  const registry = new OpenAPIRegistry();
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    registry.registerComponent('securitySchemes', name, scheme);
  }
  for (const operation of operations) registry.registerPath(toRoute(operation));
  const parts = operations
    .flatMap(({ body }) => body?.parts ?? [])
    .map((schema) => ({ type: 'schema' as const, schema }));
  // Members of unions exclude each other; generators know `oneOf` better than `anyOf`.
  return new OpenApiGeneratorV31([...registry.definitions, ...parts], { unionPreferredType: 'oneOf' }).generateDocument(
    {
      openapi: '3.1.0',
      info: { title, version: '1.0.0' },
      servers: [{ url: '/' }],
      tags,
    },
  );
}

/** Serves a document with its ETag. */
export function answerDocument(document: unknown): RequestHandler {
  const text = JSON.stringify(document);
  const etag = etagOf(text);
  return (req, res) => {
    res.setHeader('etag', etag);
    res.setHeader('cache-control', 'no-cache');
    if (noneMatchHits(req.headers['if-none-match'], etag)) res.status(304).end();
    else res.type('application/json').send(text);
  };
}

function toRoute(operation: Operation): RouteConfig {
  const { body } = operation;
  const scope = requiredScope(operation);
  return {
    method: operation.method,
    path: operation.path,
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    security: toSecurity(operation.security ?? 'credentials', scope ?? null),
    ...(scope !== undefined && { [REQUIRED_SCOPE]: scope }),
    request: {
      ...(operation.params && { params: operation.params }),
      ...(operation.query && { query: operation.query }),
      ...(operation.requestHeaders && { headers: toHeaderParameters(operation.requestHeaders) }),
      ...(body && {
        body: {
          required: !body.optional,
          content: { [body.contentType ?? 'application/json']: { schema: body.schema, example: body.example } },
        },
      }),
    },
    responses: {
      ...toErrorResponses([...commonErrors(operation), ...(operation.errors ?? [])]),
      ...toResponses(operation.responses),
    },
  };
}

function toHeaderParameters(headers: Record<string, HeaderDoc>): z.ZodObject {
  const shape = Object.entries(headers).map(([name, { description, required, schema: given }]) => {
    const { type, ...rest } = given;
    const schema = z.string().meta({ description, ...rest });
    return [name, required ? schema : schema.optional()];
  });
  return z.object(Object.fromEntries(shape));
}

function toResponses(responses: Readonly<Record<number, ResponseDoc>>): RouteConfig['responses'] {
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, toResponse(response)]));
}

function toResponse({ description, headers, schema, contentType, example, ...doc }: ResponseDoc): ResponseConfig {
  const config: ResponseConfig = { description, headers: { ...REQUEST_ID, ...headers } as ResponseConfig['headers'] };
  if (schema) {
    const media = { schema, ...(example !== undefined && { example }) };
    config.content = { [contentType ?? 'application/json']: media };
    const { stream, streamType = 'text/event-stream' } = doc;
    if (stream) config.content[streamType] = { schema: z.string().meta({ description: stream }) };
  }
  return config;
}

/** Errors of the same status become one response with an example each. */
function toErrorResponses(errors: ErrorDoc[]): RouteConfig['responses'] {
  const responses: RouteConfig['responses'] = {};
  for (const [status, group] of Map.groupBy(errors, (error) => error.status)) {
    const schemas = new Set(group.map(({ example }) => toErrorSchema(example)));
    const [first = ERROR_SCHEMA, second] = ERROR_SCHEMAS.filter((schema) => schemas.has(schema));
    const both = second === DETAIL_SCHEMA ? REFUSAL_SCHEMA : TOKEN_ERROR_SCHEMA;
    responses[status] = {
      description: group.map(({ description }) => description).join(' '),
      headers: { ...REQUEST_ID, ...mergeHeaders(group) } as ResponseConfig['headers'],
      content: {
        'application/json': {
          schema: second === undefined ? first : both,
          examples: Object.fromEntries(
            group.map(({ example }, at) => [`${String(example.error ?? 'detail')}${at || ''}`, { value: example }]),
          ),
        },
      },
    };
  }
  return responses;
}

/** A header is required if each of the errors has it. */
function mergeHeaders(errors: ErrorDoc[]): Record<string, HeaderDoc> {
  const all: Record<string, HeaderDoc> = Object.assign({}, ...errors.map(({ headers }) => headers));
  return Object.fromEntries(
    Object.entries(all).map(([name, header]) => {
      const required = errors.every(({ headers }) => headers?.[name]?.required);
      return [name, { ...header, required }];
    }),
  );
}

function toErrorSchema(example: Record<string, unknown>): (typeof ERROR_SCHEMAS)[number] {
  if ('detail' in example) return DETAIL_SCHEMA;
  return 'error_description' in example ? OAUTH_ERROR_SCHEMA : ERROR_SCHEMA;
}

function commonErrors(operation: Operation): ErrorDoc[] {
  return [
    ...(operation.query || operation.body || hasRequiredHeader(operation) ? [BAD_REQUEST] : []),
    ...(operation.security === 'public' ? [] : [UNAUTHENTICATED]),
    ...((operation.security ?? 'credentials') === 'credentials' ? [BAD_API_KEY] : []),
    ...(requiredScope(operation) ? [missingScope(String(operation.scope))] : []),
    ...(operation.body ? [TOO_LARGE, UNSUPPORTED] : []),
    INTERNAL,
    ...(operation.needsStore === false ? [] : [UNAVAILABLE]),
  ];
}

function hasRequiredHeader({ requestHeaders = {} }: Operation): boolean {
  return Object.values(requestHeaders).some(({ required }) => required);
}

const BAD_REQUEST: ErrorDoc = {
  status: 400,
  description: 'The request is invalid.',
  example: {
    error: 'validation_error',
    message: 'name: is required',
    details: { fields: [{ path: 'name', code: 'required', message: 'is required' }] },
  },
};
const UNAUTHENTICATED: ErrorDoc = {
  status: 401,
  description: 'Credentials are missing, or the token is invalid.',
  example: { detail: 'Could not validate credentials' },
  headers: CHALLENGE,
};
const BAD_API_KEY: ErrorDoc = {
  status: 403,
  description: 'The `X-API-Key` is not a valid key.',
  example: { detail: 'Invalid API key' },
};
const missingScope = (required: string): ErrorDoc => ({
  status: 403,
  description: `The scope \`${required}\` is missing.`,
  example: { error: 'forbidden', message: `This needs the scope ${required}`, details: { required } },
});
const TOO_LARGE: ErrorDoc = {
  status: 413,
  description: 'The body is too large.',
  example: { error: 'payload_too_large', message: 'The body is larger than 1048576 bytes' },
};
const UNSUPPORTED: ErrorDoc = {
  status: 415,
  description: 'The media type of the body is not supported.',
  example: { error: 'unsupported_media_type', message: 'The body must be application/json' },
};
const INTERNAL: ErrorDoc = {
  status: 500,
  description: 'An internal error. The log has its cause under the request id.',
  example: { error: 'internal_error', message: 'An unexpected error occurred' },
};
const UNAVAILABLE: ErrorDoc = {
  status: 503,
  description:
    'A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an ' +
    '`Idempotency-Key` makes a creation safe to repeat.',
  example: { error: 'unavailable', message: 'The data store is unavailable; try again' },
  headers: RETRY_AFTER,
};
