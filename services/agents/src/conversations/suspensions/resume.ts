import { orNull } from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { anyJsonSchema } from '../../contract/fields.ts';
import { requestSchema } from '../requests/request.ts';

/** What a lease of a task has that was suspended. */
export const resumeSchema = z
  .strictObject({
    session: orNull(
      z
        .strictObject({ runtime: z.string(), id: z.string(), data: z.string().nullable() })
        .meta({ id: 'SuspendedSession' }),
    ),
    state: anyJsonSchema.meta({ description: 'As it was suspended with, else null.' }),
    answers: z.array(requestSchema).meta({
      description:
        'Requests that were answered, or have expired with a default, since. The first heartbeat acknowledges approvals: no later attempt gets them again.',
    }),
  })
  .meta({ id: 'Resume' });
