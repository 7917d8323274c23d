import { type ErrorDoc, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';

/** In bytes. */
export const MAX_SIGN_IN_BYTES = 16 * 1024;

export function alwaysHeader(value: string): HeaderDoc {
  return { description: `Always \`${value}\`.`, schema: { type: 'string' }, required: true };
}

/** The errors of every operation that takes a password of nobody in particular. */
export const SIGN_IN_ERRORS: ErrorDoc[] = [
  {
    status: 401,
    description: 'The user does not exist or is disabled, or the password is wrong.',
    example: { detail: 'Incorrect username or password' },
    headers: { 'WWW-Authenticate': alwaysHeader('Bearer') },
  },
  {
    status: 429,
    description: 'Too many failed sign-ins for this account from this address.',
    example: { error: 'rate_limited', message: 'Too many failed sign-ins; try again later' },
    headers: RETRY_AFTER,
  },
  {
    status: 503,
    description: 'Too many concurrent sign-ins.',
    example: { error: 'overloaded', message: 'Too many sign-ins at once; try again' },
  },
];
