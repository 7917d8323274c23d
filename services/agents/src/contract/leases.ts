import { textSchema } from '@agent-fleet/shared/contract/fields';
import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { type LeaseRef, parseLeaseId } from './ids.ts';
import { AGENT_ID_EXAMPLE, leaseNotFound, TASK_ID_EXAMPLE } from './parameters.ts';

export const LEASE_TOKEN_EXAMPLE = 'yDq1mDkF0XxwQ8sVb2c9gHt4uJ5nLrAz';
export const LEASE_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The lease does not exist, or its task was deleted.',
  example: { detail: 'Lease not found' },
};
export const LEASE_LOST: ErrorDoc = {
  status: 409,
  description: 'The lease expired or was released, or its task has ended. The token is no longer valid.',
  example: { error: 'lease_lost', message: 'The lease is no longer held: nothing was changed' },
};

export const LEASE_TOKEN_HEADER: Record<string, HeaderDoc> = {
  'X-Lease-Token': {
    description: 'The token of the lease.',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$', example: LEASE_TOKEN_EXAMPLE },
    required: true,
  },
};

export const tokenSchema = textSchema(1, 128).meta({ description: 'The token of the lease.' });
export const leaseParams = z.object({
  lease_id: z.string().meta({ description: 'Id of the lease.', example: `${AGENT_ID_EXAMPLE}.${TASK_ID_EXAMPLE}.1` }),
});

/** What a worker can take while it works on a task. */
export const ACCEPTS = ['messages', 'steer', 'interrupt', 'input', 'definitions'] as const;

/** @throws 404 for a text that is not a lease id */
export function requireRef({ lease_id }: { lease_id: string }): LeaseRef {
  const ref = parseLeaseId(lease_id);
  if (!ref) throw leaseNotFound();
  return ref;
}

export function leaseLost(): HttpError {
  return httpError('lease_lost', 'The lease is no longer held: nothing was changed');
}
