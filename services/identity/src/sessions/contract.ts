import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ErrorDoc, type HeaderDoc } from '@agent-fleet/shared/contract/operation';
import {
  limitParameter,
  PAGE_HEADERS,
  queryBoolean,
  queryText,
  skipParameter,
} from '@agent-fleet/shared/contract/paging';
import { ROLE_NAMES, SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { z } from 'zod';
import { alwaysHeader, MAX_SIGN_IN_BYTES, SIGN_IN_ERRORS } from '../sign-in/contract.ts';

const SESSION_ID_EXAMPLE = '01997e6e-4b1d-7a2c-8f60-2d9c5b7e1a34';
const USER_ID_EXAMPLE = '01997e6b-11c0-7d3e-9a57-8c4f2e6b0d18';

const sessionSchema = z
  .strictObject({
    id: z.string().meta({ description: 'A UUIDv7, given by the service.' }),
    kind: z.enum(['refresh', 'browser']).meta({
      description: '`refresh`: a refresh token with its successors. `browser`: signed in by `POST /session`.',
    }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().meta({ description: 'To within a minute.' }),
    address: z.string().meta({ description: 'The IP address that it was made from.' }),
    user_agent: z.string().meta({ description: 'The `User-Agent` that it was made with, at most 200 characters.' }),
  })
  .meta({ id: 'Session' });

export type Session = z.output<typeof sessionSchema>;

const currentSessionSchema = z
  .strictObject({
    user: z.string().meta({ description: 'The e-mail address, or the name of the key or external user.' }),
    role: z.enum(ROLE_NAMES).nullable().meta({ description: 'Null for keys and external users.' }),
    scopes: z.array(z.enum(SCOPE_NAMES)),
    expires_at: z.iso.datetime().nullable().meta({
      description: 'The end of the session in any case; null for credentials without one.',
    }),
  })
  .meta({ id: 'CurrentSession' });

const SESSION_EXAMPLE: Session = {
  id: SESSION_ID_EXAMPLE,
  kind: 'browser',
  created_at: '2026-11-21T09:30:00.000Z',
  last_used_at: '2026-11-21T10:05:30.000Z',
  address: '192.0.2.1',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};

/** The gateway refuses it; other operations have an example of this error already. */
const CROSS_SITE: ErrorDoc = {
  status: 403,
  description: 'A page of another origin sent the request, or a proxy hides the address of the page.',
  example: { error: 'forbidden', message: 'A session may only be used from the same origin' },
};
const SESSION_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The session does not exist, has ended, or belongs to another user.',
  example: { detail: 'Session not found' },
};

const SET_COOKIE: Record<string, HeaderDoc> = {
  'Set-Cookie': {
    description: 'The cookie of the session: `__Host-fleet`, or `fleet` over plain http.',
    schema: {
      type: 'string',
      example: '__Host-fleet=kX0a9p3Yd1uFh7sQ2vB5nM8rT6wE4yLzCjGxOiKbPfA; HttpOnly; Secure; SameSite=Strict; Path=/',
    },
    required: true,
  },
};

const REMOVE_COOKIE: Record<string, HeaderDoc> = {
  'Set-Cookie': {
    description: 'Removes the cookie; over https, that of plain http too.',
    schema: { type: 'string', example: '__Host-fleet=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0' },
    required: true,
  },
};

const text = z.string('must be a text');

export const signInBrowser = defineOperation({
  id: 'createSession',
  method: 'post',
  path: '/session',
  tag: 'Authentication',
  summary: 'Sign in a browser',
  description: 'Sets a cookie. The session ends 12 hours after its last request, at most 7 days after the sign-in.',
  security: 'public',
  body: {
    maxBytes: MAX_SIGN_IN_BYTES,
    schema: z
      .strictObject({
        username: text.meta({ description: 'The e-mail address of the user.' }),
        password: text.meta({ format: 'password' }),
      })
      .meta({ id: 'SessionInput' }),
    example: { username: 'admin@example.com', password: 'correct horse battery staple' },
  },
  responses: {
    204: { description: 'Signed in.', headers: { ...SET_COOKIE, 'Cache-Control': alwaysHeader('no-store') } },
  },
  errors: [...SIGN_IN_ERRORS, CROSS_SITE],
});

export const readSession = defineOperation({
  id: 'getSession',
  method: 'get',
  path: '/session',
  tag: 'Authentication',
  summary: 'Read the session of the request',
  description: 'Who sent the request, by any credentials, and what it may do.',
  scope: 'signed-in',
  query: z.object({
    optional: queryBoolean('`true`: null, not 401, without credentials or a valid cookie.'),
  }),
  responses: {
    200: {
      description: 'The session. Null only with `optional=true`.',
      schema: orNull(currentSessionSchema),
      example: {
        user: 'viewer@example.com',
        role: 'viewer',
        scopes: ['agents:read', 'tasks:read', 'events:read'],
        expires_at: '2026-11-28T09:30:00.000Z',
      },
    },
  },
});

export const signOut = defineOperation({
  id: 'deleteSession',
  method: 'delete',
  path: '/session',
  tag: 'Authentication',
  summary: 'Sign out',
  description:
    'Ends the session of the request and removes the cookie. A bearer token ends with all tokens of its session. ' +
    'Keys and external users have no session: nothing ends.',
  scope: 'signed-in',
  responses: { 204: { description: 'Signed out.', headers: REMOVE_COOKIE } },
  errors: [CROSS_SITE],
});

export const listSessions = defineOperation({
  id: 'listSessions',
  method: 'get',
  path: '/sessions',
  tag: 'Authentication',
  summary: "List a user's sessions, oldest first",
  description: 'At most 100: a further one ends the oldest. Access tokens without a refresh token are not among them.',
  scope: 'signed-in',
  query: z.object({
    skip: skipParameter,
    limit: limitParameter,
    user_id: queryText("Another user's sessions, with the scope `users:admin`.").meta({ example: USER_ID_EXAMPLE }),
  }),
  responses: {
    200: {
      description: 'A page of sessions.',
      schema: z.array(sessionSchema),
      headers: PAGE_HEADERS,
      example: [SESSION_EXAMPLE],
    },
  },
  errors: [
    {
      status: 403,
      description: 'Only an administrator lists the sessions of others.',
      example: {
        error: 'forbidden',
        message: 'This needs the scope users:admin',
        details: { required: 'users:admin' },
      },
    },
    { status: 404, description: 'The user does not exist.', example: { detail: 'User not found' } },
  ],
});

export const endSession = defineOperation({
  id: 'endSession',
  method: 'delete',
  path: '/sessions/{session_id}',
  tag: 'Authentication',
  summary: 'End a session',
  description: 'One of the own, or any with the scope `users:admin`. Its access tokens end with it.',
  scope: 'signed-in',
  params: z.object({
    session_id: z.string().meta({ description: 'Id of the session.', example: SESSION_ID_EXAMPLE }),
  }),
  responses: { 204: { description: 'The session has ended.' } },
  errors: [CROSS_SITE, SESSION_NOT_FOUND],
});
