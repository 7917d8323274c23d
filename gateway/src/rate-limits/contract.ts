import { type ErrorDoc, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';

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
