import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';

/** The form of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]{1,255}$';

/** What an operation with an `Idempotency-Key` has in the document. */
export const IDEMPOTENCY_KEY: Record<string, HeaderDoc> = {
  'Idempotency-Key': {
    description:
      '1 to 255 visible characters. For 24 h the same caller gets the first answer again, and nothing is created twice.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN, example: 'release-2.4-notes' },
  },
};

export const REPLAYED_HEADER: Record<string, HeaderDoc> = {
  'Idempotency-Replayed': {
    description: '`true` where the answer is that of an earlier request with this `Idempotency-Key`.',
    schema: { type: 'string' },
  },
};

const IDEMPOTENCY_REUSED = 'An `Idempotency-Key` that was used with another body.';

export const IDEMPOTENT_IN_PROGRESS: ErrorDoc = {
  status: 409,
  description: 'A request with this `Idempotency-Key` is still in progress.',
  example: {
    error: 'idempotent_request_in_progress',
    message: 'A request with this Idempotency-Key is still in progress',
  },
  headers: {
    'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' }, required: true },
  },
};

export const IDEMPOTENCY_ERRORS: readonly ErrorDoc[] = [
  IDEMPOTENT_IN_PROGRESS,
  {
    status: 422,
    description: IDEMPOTENCY_REUSED,
    example: {
      error: 'semantic_error',
      message: 'Idempotency-Key: was used with another body',
      details: { fields: [{ path: 'Idempotency-Key', code: 'reused', message: 'was used with another body' }] },
    },
  },
];
