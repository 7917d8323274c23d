import { normaliseEmail } from '@agent-fleet/access/records';
import {
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '@agent-fleet/shared/contract/conditions';
import { defineOperation, type ErrorDoc, type HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { limitParameter, PAGE_HEADERS, skipParameter } from '@agent-fleet/shared/contract/paging';
import { ROLE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { z } from 'zod';

const USER_EXAMPLE = {
  id: '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12',
  email: 'ada@example.com',
  role: 'operator',
  disabled: false,
  created_at: '2026-11-21T09:30:00.000Z',
  last_sign_in_at: null,
};

/** Enough for every field at its longest, escaped. */
export const MAX_BODY_BYTES = 16 * 1024;

const roleSchema = z
  .enum(ROLE_NAMES, `must be one of ${ROLE_NAMES.join(', ')}`)
  .meta({ description: 'Decides what the user, and the keys of the user, may do.' });

const userSchema = z
  .strictObject({
    id: z.string().meta({ description: 'A UUIDv7, given by the service.' }),
    email: z.string().meta({ description: 'In lower case.' }),
    role: roleSchema,
    disabled: z.boolean().meta({ description: 'A disabled user cannot sign in, and has no valid tokens and keys.' }),
    created_at: z.iso.datetime(),
    last_sign_in_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'User' });

/** Normalised, so that addresses that differ in case are one. */
const emailSchema = z
  .string('must be a text')
  .transform((text, issues) => {
    const email = normaliseEmail(text);
    if (email === undefined) issues.addIssue('must be an e-mail address');
    return email as string;
  })
  .meta({ type: 'string', format: 'email', maxLength: 254, description: 'Case does not matter.' });

export const passwordSchema = z.string('must be a text').meta({
  minLength: 15,
  maxLength: 128,
  description: 'Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address.',
});

export const userParams = z.object({
  user_id: z.string().meta({ description: 'Id of the user.', example: USER_EXAMPLE.id }),
});

export const USER_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The user does not exist.',
  example: { detail: 'User not found' },
};
export const NOT_A_USER: ErrorDoc = {
  status: 403,
  description: 'The caller is not a user but a key, or a user of another issuer.',
  example: { error: 'forbidden', message: 'Only users have an account here' },
};
const LAST_ADMIN: ErrorDoc = {
  status: 409,
  description: 'The user is the last admin who is not disabled.',
  example: { error: 'last_admin', message: 'This is the last enabled admin' },
};
const LOCATION: Record<string, HeaderDoc> = {
  Location: { description: 'Path of the new record.', schema: { type: 'string' }, required: true },
};
const USER = { schema: userSchema, headers: ETAG_HEADER, example: USER_EXAMPLE };

export const listUsers = defineOperation({
  id: 'listUsers',
  method: 'get',
  path: '/users',
  tag: 'Users',
  summary: 'List users, oldest first',
  scope: 'users:admin',
  query: z.object({ skip: skipParameter, limit: limitParameter }),
  responses: {
    200: {
      description: 'A page of users.',
      schema: z.array(userSchema),
      headers: PAGE_HEADERS,
      example: [USER_EXAMPLE],
    },
  },
});

export const createUser = defineOperation({
  id: 'createUser',
  method: 'post',
  path: '/users',
  tag: 'Users',
  summary: 'Create a user',
  description: 'Without a password, the user can sign in once a reset code was used.',
  scope: 'users:admin',
  body: {
    schema: z
      .strictObject({ email: emailSchema, role: roleSchema, password: passwordSchema.optional() })
      .meta({ id: 'UserInput' }),
    example: { email: USER_EXAMPLE.email, role: USER_EXAMPLE.role },
    maxBytes: MAX_BODY_BYTES,
  },
  responses: { 201: { description: 'The new user.', ...USER, headers: { ...ETAG_HEADER, ...LOCATION } } },
  errors: [
    {
      status: 403,
      description: 'There are 10,000 users already.',
      example: { error: 'quota_exceeded', message: 'There are 10000 users already' },
    },
    {
      status: 409,
      description: 'Another user has this e-mail address, in whatever case.',
      example: { error: 'email_taken', message: 'Another user has this e-mail address' },
    },
  ],
});

export const getUser = defineOperation({
  id: 'getUser',
  method: 'get',
  path: '/users/{user_id}',
  tag: 'Users',
  summary: 'Read a user',
  scope: 'users:admin',
  params: userParams,
  requestHeaders: IF_NONE_MATCH,
  responses: { 200: { description: 'The user.', ...USER }, 304: NOT_MODIFIED },
  errors: [USER_NOT_FOUND],
});

export const replaceUser = defineOperation({
  id: 'replaceUser',
  method: 'put',
  path: '/users/{user_id}',
  tag: 'Users',
  summary: 'Change the role of a user, disable or enable a user',
  description: 'Disabling ends all sessions, tokens and reset codes of the user; enabling does not restore them.',
  scope: 'users:admin',
  params: userParams,
  requestHeaders: IF_MATCH,
  body: {
    schema: z
      .strictObject({ role: roleSchema, disabled: z.boolean('must be true or false') })
      .meta({ id: 'UserReplacement' }),
    example: { role: 'viewer', disabled: false },
    maxBytes: MAX_BODY_BYTES,
  },
  responses: { 200: { description: 'The updated user.', ...USER, example: { ...USER_EXAMPLE, role: 'viewer' } } },
  errors: [USER_NOT_FOUND, LAST_ADMIN, PRECONDITION_FAILED],
});

export const deleteUser = defineOperation({
  id: 'deleteUser',
  method: 'delete',
  path: '/users/{user_id}',
  tag: 'Users',
  summary: 'Delete a user with all sessions, tokens and API keys',
  scope: 'users:admin',
  params: userParams,
  requestHeaders: IF_MATCH,
  responses: { 204: { description: 'The user is deleted.' } },
  errors: [USER_NOT_FOUND, LAST_ADMIN, PRECONDITION_FAILED],
});

export const getOwnUser = defineOperation({
  id: 'getOwnUser',
  method: 'get',
  path: '/users/me',
  tag: 'Users',
  summary: 'Read the user who is signed in',
  scope: 'signed-in',
  requestHeaders: IF_NONE_MATCH,
  responses: { 200: { description: 'The user.', ...USER }, 304: NOT_MODIFIED },
  errors: [NOT_A_USER, USER_NOT_FOUND],
});
