import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { tooManyOpenDoc, WAITS } from '../../contract/callers.ts';
import { LEASE_LOST, LEASE_NOT_FOUND, LEASE_TOKEN_HEADER, leaseParams } from '../../contract/leases.ts';
import { MODES } from '../messages/contract.ts';
import { answerSchema } from '../requests/request.ts';

const itemSchema = z
  .strictObject({
    n: z.int().meta({ description: 'Number of the item in its task, from 1.' }),
    type: z.enum(['answer', 'message', 'interrupt', 'cancel']),
    request_id: z.string().optional(),
    answer: orNull(answerSchema).optional(),
    message_id: z.string().optional(),
    text: z.string().optional(),
    mode: z.enum(MODES).optional(),
    reason: z.string().nullable().optional().meta({ description: 'Of a cancellation.' }),
  })
  .meta({ id: 'InboxItem' });

export type InboxItem = z.output<typeof itemSchema>;

export const readInbox = defineOperation({
  id: 'readInbox',
  method: 'get',
  path: '/leases/{lease_id}/inbox',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Read what people say to a task',
  description:
    'Answers, messages, interruptions and a cancellation, in order, at most 100. What was not acknowledged by `after` is there for the next attempt.',
  params: leaseParams,
  query: z.object({
    after: queryInteger({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      description: 'Acknowledges the items up to this number. Default: none.',
    }),
    wait: queryInteger({ min: 0, max: 30, description: 'Seconds to wait for a first item.' }),
  }),
  requestHeaders: LEASE_TOKEN_HEADER,
  responses: {
    200: {
      description: 'The items.',
      schema: z.strictObject({ items: z.array(itemSchema) }).meta({ id: 'Inbox' }),
      example: {
        items: [
          {
            n: 3,
            type: 'message',
            message_id: '01997e6d-b1c8-7a02-9f3e-5d6c7b8a9012',
            text: 'Write them in French',
            mode: 'steer',
          },
        ],
      } satisfies { items: InboxItem[] },
    },
  },
  errors: [LEASE_NOT_FOUND, LEASE_LOST, tooManyOpenDoc(WAITS)],
});
