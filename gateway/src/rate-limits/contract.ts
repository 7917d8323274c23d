import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';

const RATE_LIMIT_HEADERS: Record<string, HeaderDoc> = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' }, required: true },
  'RateLimit-Policy': {
    description: 'The limit: its name, its quota `q`, and its window `w` in seconds.',
    schema: { type: 'string', example: '"principal";q=6000;w=60' },
    required: true,
  },
  RateLimit: {
    description:
      'The remaining requests `r`, and the seconds `t` until the whole quota is available again. On every response to a request that counts.',
    schema: { type: 'string', example: '"principal";r=0;t=60' },
    required: true,
  },
};

/** For every operation that counts for a rate limit. */
export const RATE_LIMITED: ErrorDoc = {
  status: 429,
  description: 'Too many requests by this principal or from this address.',
  example: { error: 'rate_limited', message: 'Too many requests; try again in 1 s' },
  headers: RATE_LIMIT_HEADERS,
};
