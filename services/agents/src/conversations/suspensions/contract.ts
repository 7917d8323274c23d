import { orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { jsonSchema } from '../../contract/fields.ts';
import { LEASE_LOST, LEASE_NOT_FOUND, LEASE_TOKEN_EXAMPLE, leaseParams, tokenSchema } from '../../contract/leases.ts';
import { TASK_EXAMPLE } from '../../tasks/contract.ts';
import { taskSchema } from '../../tasks/task.ts';

const KIB = 1024;
const MAX_DATA_BYTES = 1024 * KIB;
const BODY_BYTES = 1536 * KIB;

const sessionFields = {
  runtime: textSchema(1, 100),
  id: textSchema(1, 1_000).meta({ description: 'As the runtime names it.' }),
  data: z
    .base64('must be base64')
    .refine((text) => Buffer.byteLength(text, 'base64') <= MAX_DATA_BYTES, 'must not be larger than 1024 KiB')
    .nullish()
    .meta({ description: 'Its files, base64 of at most 1 MiB; without it only this worker can go on.' }),
};

/** What the next attempt goes on with. */
export const suspensionFields = {
  session: orNull(z.strictObject(sessionFields).meta({ id: 'SuspendedSessionInput' })).optional(),
  state: jsonSchema(64 * KIB)
    .optional()
    .meta({ description: 'Any JSON, at most 64 KiB, for the next attempt.' }),
};

export const suspendLease = defineOperation({
  id: 'suspendLease',
  method: 'put',
  path: '/leases/{lease_id}/suspension',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Stop working on a task that waits for a person',
  description:
    'Ends the lease; the attempt does not count. The task stays `input_required` until its requests are answered, and is then reserved for this worker for 60 s, or for 24 h if its session has no `data`. The same again is 200.',
  params: leaseParams,
  body: {
    schema: z
      .strictObject({
        token: tokenSchema,
        ...suspensionFields,
      })
      .meta({ id: 'Suspension' }),
    verbatim: new Set(['state']),
    maxBytes: BODY_BYTES,
    example: { token: LEASE_TOKEN_EXAMPLE, session: { runtime: 'claude-code', id: 'f085a3c1', data: 'H4sIAAAA' } },
  },
  responses: {
    200: {
      description: 'The current task: its lease has ended.',
      schema: taskSchema,
      example: { ...TASK_EXAMPLE, status: 'input_required' },
    },
  },
  errors: [
    LEASE_NOT_FOUND,
    LEASE_LOST,
    {
      status: 409,
      description: 'No request is open.',
      example: { error: 'nothing_to_wait_for', message: 'Nothing is open: read the inbox' },
    },
    {
      status: 422,
      description: '`SESSION_ENCRYPTION_KEY` is not set, so that the fleet keeps no data.',
      example: {
        error: 'semantic_error',
        message: 'session.data: cannot be kept: SESSION_ENCRYPTION_KEY is not set',
        details: {
          fields: [
            {
              path: 'session.data',
              code: 'no_encryption_key',
              message: 'cannot be kept: SESSION_ENCRYPTION_KEY is not set',
            },
          ],
        },
      },
    },
  ],
});
