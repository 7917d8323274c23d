import { type ErrorDoc, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';

/** The form of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]{1,255}$';

/** The request header of an idempotent operation. */
export const IDEMPOTENCY_KEY: Record<string, HeaderDoc> = {
  'Idempotency-Key': {
    description:
      '1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN, example: 'release-2.4-notes' },
  },
};

export const REPLAYED_HEADER: Record<string, HeaderDoc> = {
  'Idempotency-Replayed': {
    description: '`true` if the response repeats that of an earlier request with this `Idempotency-Key`.',
    schema: { type: 'string' },
  },
};

export const IDEMPOTENT_IN_PROGRESS: ErrorDoc = {
  status: 409,
  description: 'A request with this `Idempotency-Key` is still in progress.',
  example: {
    error: 'idempotent_request_in_progress',
    message: 'A request with this Idempotency-Key is still in progress',
  },
  headers: RETRY_AFTER,
};

export const IDEMPOTENCY_ERRORS: readonly ErrorDoc[] = [
  IDEMPOTENT_IN_PROGRESS,
  {
    status: 422,
    description: 'The `Idempotency-Key` was used with a different body.',
    example: {
      error: 'semantic_error',
      message: 'Idempotency-Key: was used with another body',
      details: { fields: [{ path: 'Idempotency-Key', code: 'reused', message: 'was used with another body' }] },
    },
  },
];
