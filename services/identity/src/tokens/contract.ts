import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { HttpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { alwaysHeader, MAX_SIGN_IN_BYTES, SIGN_IN_ERRORS } from '../sign-in/contract.ts';

const FORM = 'application/x-www-form-urlencoded';
const MAX_SCOPE_LENGTH = 1_000;
const REFRESH_TOKEN_EXAMPLE = 'AZrHbIpUfBuzqD9tDJ5aEkb2v8X1n0c7QmJd4sYkLwTgRzPp6hVeXiUoNa3tB9yCE5fGjKqMrW8xZsD2bH7uAQ';

/** Bodies as in RFC 6749 section 5.2. */
const INVALID_GRANT: ErrorDoc = {
  status: 400,
  description: 'The refresh token was refused, or the grant is another one.',
  example: {
    error: 'invalid_grant',
    error_description: 'The grant is not supported, or the refresh token is unknown, used, expired or revoked',
  },
};
const INVALID_SCOPE: ErrorDoc = {
  status: 400,
  description: 'A scope does not exist, or the user does not have it.',
  example: {
    error: 'invalid_scope',
    error_description: 'A scope is unknown, or is more than the user or the refresh token has',
  },
};

export const invalidGrant = () => toHttpError(INVALID_GRANT);
export const invalidScope = () => toHttpError(INVALID_SCOPE);

function toHttpError({ status, example }: ErrorDoc): HttpError {
  return new HttpError(status, example, String(example.error));
}

/** A repeated field of a form is a list. */
function onceOnly({ input }: { input?: unknown }): string | undefined {
  return input === undefined ? undefined : 'must be given once';
}

const once = z.string({ error: onceOnly });

const tokenRequest = z
  .object({
    grant_type: once.default('password').meta({
      description: '`password` (the default) or `refresh_token`.',
      enum: ['password', 'refresh_token'],
    }),
    username: once.optional().meta({ description: 'For `password`: the e-mail address of the user.' }),
    password: once.optional().meta({ description: 'For `password`.', format: 'password' }),
    refresh_token: once.optional().meta({ description: 'For `refresh_token`.' }),
    scope: once
      .max(MAX_SCOPE_LENGTH, `must have at most ${MAX_SCOPE_LENGTH} characters`)
      .optional()
      .meta({
        description:
          'Scopes, separated by blanks: narrows the token. With `offline_access`, there is a refresh token too; ' +
          'alone, it means all scopes of the role.',
      }),
  })
  .meta({ id: 'TokenRequest' });

/** What the grant `password` needs. */
export const passwordGrant = z.object({ username: z.string(), password: z.string() });
/** What the grant `refresh_token` needs. */
export const refreshGrant = z.object({ refresh_token: z.string() });

const NO_STORE = { 'Cache-Control': alwaysHeader('no-store') };

export const issueToken = defineOperation({
  id: 'issueToken',
  method: 'post',
  path: '/token',
  tag: 'Authentication',
  summary: 'Get an access token',
  description:
    'The grants `password` (RFC 6749 section 4.3) and `refresh_token` (section 6). A refresh token is replaced at ' +
    'each use; the last one ends after 7 days, and 30 days after the sign-in. The one before gets the same ' +
    'successor within 10 seconds; any older one ends the session. Other fields of the form are ignored.',
  security: 'public',
  body: {
    contentType: FORM,
    maxBytes: MAX_SIGN_IN_BYTES,
    schema: tokenRequest,
    example: { grant_type: 'password', username: 'admin@example.com', password: 'correct horse battery staple' },
  },
  responses: {
    200: {
      description: 'An access token, to be sent as `Authorization: Bearer …`.',
      headers: { ...NO_STORE, Pragma: alwaysHeader('no-cache') },
      schema: z
        .object({
          access_token: z.string(),
          token_type: z.literal('bearer'),
          expires_in: z.int().meta({ description: 'Seconds.' }),
          refresh_token: z.string().optional().meta({ description: 'With `offline_access`, and after a refresh.' }),
          scope: z.string().optional().meta({ description: 'If the request has one.' }),
        })
        .meta({ id: 'AccessToken' }),
      example: {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln',
        token_type: 'bearer',
        expires_in: 1800,
      },
    },
  },
  errors: [INVALID_GRANT, INVALID_SCOPE, ...SIGN_IN_ERRORS],
});

export const revokeToken = defineOperation({
  id: 'revokeToken',
  method: 'post',
  path: '/revoke',
  tag: 'Authentication',
  summary: 'Revoke a token',
  description:
    'RFC 7009. A refresh token ends with its whole session and all access tokens made from it; an access token ends ' +
    'alone. The answer is the same for a token that is not valid. Other fields of the form are ignored.',
  security: 'public',
  body: {
    contentType: FORM,
    maxBytes: MAX_SIGN_IN_BYTES,
    schema: z
      .object({
        token: once.meta({ description: 'An access or refresh token.' }),
        token_type_hint: z.unknown().optional().meta({ type: 'string', description: 'Ignored.' }),
      })
      .meta({ id: 'RevocationRequest' }),
    example: { token: REFRESH_TOKEN_EXAMPLE },
  },
  responses: { 200: { description: 'The token is not valid, or no longer.', headers: NO_STORE } },
});
