import { z } from 'zod';
import { integerSchema } from '../contract/fields.ts';

export const retryPolicySchema = z
  .strictObject({
    strategy: z.enum(['fixed', 'exponential'], 'must be fixed or exponential').default('exponential'),
    delay_seconds: integerSchema(0, 3_600).default(5),
    max_delay_seconds: integerSchema(1, 86_400).default(300),
    jitter: z.number('must be a number').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1').default(0.5),
  })
  .meta({ id: 'RetryPolicyInput', description: 'The delay of a retry after a failed attempt.' });

export const servedRetryPolicySchema = z
  .strictObject({
    strategy: z.enum(['fixed', 'exponential']),
    delay_seconds: z.int(),
    max_delay_seconds: z.int(),
    jitter: z.number(),
  })
  .meta({ id: 'RetryPolicy' });

export const timeoutSchema = integerSchema(1, 86_400);
export const maxAttemptsSchema = integerSchema(1, 10);

/** Of a task for which neither it nor its agent's definition says otherwise. */
export const DEFAULT_LIMITS = { timeout_seconds: 3_600, max_attempts: 3 };
export const DEFAULT_RETRY_POLICY = retryPolicySchema.parse({});
