import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ErrorDoc, type HeaderDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { orderParameter, queryInteger, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { toStreamId } from './audit-event.ts';

const EXAMPLE = {
  id: '01997e71-9c24-7000-8000-000000000000',
  at: '2026-11-21T09:31:02.116Z',
  actor: { type: 'user', id: '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12', name: 'ada@example.com' },
  action: 'key.rotated',
  target: { type: 'key', id: '01997e70-1f3b-7d02-8c11-5b9a0e6f4c21' },
  outcome: 'success',
  address: '192.0.2.44',
  request_id: '5c2f1c9e-2b70-4d9a-9a51-4a2b7a2c9f3d',
};

const auditEventSchema = z
  .strictObject({
    id: z.string().meta({ description: 'A UUIDv7. Ids sort by time.' }),
    at: z.iso.datetime(),
    actor: z
      .strictObject({
        type: z.enum(['user', 'key', 'oidc', 'anonymous']),
        id: z.string().nullable(),
        name: z.string().nullable().meta({ description: 'The e-mail address of the user, or the name of the key.' }),
      })
      .meta({
        id: 'AuditActor',
        description: 'Who did it. `anonymous`: nobody, or an account that could not sign in.',
      }),
    action: z.string().meta({ description: 'Such as `user.created` or `token.refused`.' }),
    target: orNull(z.strictObject({ type: z.string(), id: z.string() }).meta({ id: 'AuditTarget' })),
    outcome: z.enum(['success', 'failure']),
    address: z.string().nullable().meta({ description: 'The IP address of the client.' }),
    request_id: z.string().nullable().meta({ description: 'The `X-Request-Id` of the request.' }),
    details: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'What was decided: of an approval `tool`, `digest` and `decision`. Else absent.' }),
  })
  .meta({ id: 'AuditEvent' });

const LINK: Record<string, HeaderDoc> = {
  Link: {
    description: 'Relation `next`, unless the page reaches the end of the trail. A page may be short or empty.',
    schema: { type: 'string' },
  },
};
const TOO_MANY_EXPORTS: ErrorDoc = {
  status: 503,
  description: 'Too many exports run at once.',
  example: { error: 'overloaded', message: 'Too many exports at once; try again' },
  headers: RETRY_AFTER,
};

const afterParameter = z
  .string('must be given once')
  .transform((id, issues) => {
    if (id === '') return undefined;
    const streamId = toStreamId(id);
    if (streamId === undefined) issues.addIssue('must be the id of an audit event');
    return streamId;
  })
  .optional()
  .meta({
    type: 'string',
    description:
      'Only events after the one with this id, which may no longer be kept. With `order=desc`, only older ones.',
  });

export const listAuditEvents = defineOperation({
  id: 'listAuditEvents',
  method: 'get',
  path: '/audit-events',
  tag: 'Audit',
  summary: 'List or export audit events',
  description:
    'Returns a JSON array, or with `Accept: application/x-ndjson` one event a line: without `limit`, all that are kept. A page of filtered events looks at 10,000 events at most; `Link` leads on.',
  scope: 'audit:read',
  query: z.object({
    after: afterParameter,
    order: orderParameter,
    limit: queryInteger({
      min: 1,
      max: 1000,
      description: 'Maximum number of events. Default: 100; in an export all.',
    }),
    actor: queryText('Only events of this actor: an id, a name in whatever case, or a type.'),
    action: queryText('Only this action; `user.*` is all actions that begin with `user.`.'),
    target: queryText('Only events about the target with this id.'),
  }),
  responses: {
    200: {
      description: 'The events in the requested order.',
      schema: z.array(auditEventSchema),
      headers: LINK,
      stream: 'One event a line.',
      streamType: 'application/x-ndjson',
      example: [EXAMPLE],
    },
  },
  errors: [TOO_MANY_EXPORTS],
});
