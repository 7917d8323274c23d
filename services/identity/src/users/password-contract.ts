import { defineOperation, type ErrorDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { MAX_BODY_BYTES, NOT_A_USER, passwordSchema, USER_NOT_FOUND, userParams } from './contract.ts';

const PASSWORD_EXAMPLE = 'correct horse battery staple';
const CODE_EXAMPLE = 'b3Jh2kq0m8nT5vXyZ1cD4fG7hJ9lQwErTyUiOpAsDf0';

const TOO_MANY_FAILURES: ErrorDoc = {
  status: 429,
  description: 'Too many wrong passwords for this account from this address in 15 minutes.',
  example: { error: 'rate_limited', message: 'Too many failed sign-ins; try again later' },
  headers: RETRY_AFTER,
};

export const changeOwnPassword = defineOperation({
  id: 'changeOwnPassword',
  method: 'put',
  path: '/users/me/password',
  tag: 'Users',
  summary: 'Change the password of the user who is signed in',
  description: 'Ends all sessions and tokens of the user, except the one that did it, and voids a reset code.',
  scope: 'signed-in',
  body: {
    schema: z
      .strictObject({ current_password: z.string('must be a text'), new_password: passwordSchema })
      .meta({ id: 'PasswordChange' }),
    example: { current_password: 'tr0ub4dor and three', new_password: PASSWORD_EXAMPLE },
    maxBytes: MAX_BODY_BYTES,
  },
  responses: { 204: { description: 'The password is changed.' } },
  errors: [
    NOT_A_USER,
    {
      status: 403,
      description: 'The current password is wrong.',
      example: { error: 'forbidden', message: 'The current password is wrong' },
    },
    USER_NOT_FOUND,
    TOO_MANY_FAILURES,
  ],
});

export const createPasswordReset = defineOperation({
  id: 'createPasswordReset',
  method: 'post',
  path: '/users/{user_id}/password-resets',
  tag: 'Users',
  summary: 'Create a code that sets a new password',
  description: 'Valid once, for an hour. A new code voids the one before. Hand it to the user; it is shown this once.',
  scope: 'users:admin',
  params: userParams,
  responses: {
    201: {
      description: 'The code, for `PUT /password-resets/{code}`.',
      schema: z.strictObject({ code: z.string(), expires_at: z.iso.datetime() }).meta({ id: 'PasswordReset' }),
      example: { code: CODE_EXAMPLE, expires_at: '2026-11-21T10:30:00.000Z' },
    },
  },
  errors: [USER_NOT_FOUND],
});

export const usePasswordReset = defineOperation({
  id: 'usePasswordReset',
  method: 'put',
  path: '/password-resets/{code}',
  tag: 'Users',
  summary: 'Set a new password with a reset code',
  description: 'Ends all sessions and tokens of the user. A password that is refused leaves the code valid.',
  security: 'public',
  params: z.object({ code: z.string().meta({ description: 'The reset code.', example: CODE_EXAMPLE }) }),
  body: {
    schema: z.strictObject({ new_password: passwordSchema }).meta({ id: 'NewPassword' }),
    example: { new_password: PASSWORD_EXAMPLE },
    maxBytes: MAX_BODY_BYTES,
  },
  responses: { 204: { description: 'The password is set.' } },
  errors: [
    {
      status: 404,
      description: 'The code is unknown, used, replaced by another one, or older than an hour.',
      example: { detail: 'Reset code not found' },
    },
  ],
});
