import { OPTIONAL_TIME, textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ErrorDoc, RETRY_AFTER } from '@agent-fleet/shared/contract/operation';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { LIMITED_KEY } from '../contract/callers.ts';
import { AGENT_ID_EXAMPLE, LOCATION_HEADER, TASK_ID_EXAMPLE } from '../contract/parameters.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_KEY, REPLAYED_HEADER } from '../idempotency/contract.ts';
import { filterTimeSchema } from '../tasks/task-filter.ts';

const ID_EXAMPLE = '01997e70-5c11-7a3e-8f20-4d5b6c7e8f90';
const MAX_TEXT = 256;
/** Failures of which a bulk action keeps the tasks. */
export const MAX_FAILURES = 100;
const STATUS_FORM = 'must be a list of 1 to 10 statuses, or a text of statuses that are separated by commas';

const filterText = (description: string) => textSchema(1, MAX_TEXT).optional().meta({ description });
const filterTime = (description: string, roundsUp: boolean) =>
  filterTimeSchema(roundsUp)
    .nullish()
    .meta({ ...OPTIONAL_TIME, description });

const filterSchema = z
  .strictObject({
    status: z
      .union([z.array(textSchema(1, MAX_TEXT)).min(1, STATUS_FORM).max(10, STATUS_FORM), textSchema(1, MAX_TEXT)], {
        error: STATUS_FORM,
      })
      .optional()
      // Of a text with commas, which is taken too, generated clients would make a union.
      .meta({
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
        minItems: 1,
        maxItems: 10,
        description: 'Only tasks with one of these statuses.',
      }),
    type: filterText('Only tasks whose agent had this type at their creation.'),
    agent_id: filterText('Only tasks of this agent.'),
    tag: filterText('Only tasks with this tag.'),
    worker_id: filterText('Only tasks whose current or last worker is this one.'),
    id: filterText('Only the task with this id.'),
    created_after: filterTime('Only tasks created after this time.', false),
    created_before: filterTime('Only tasks created before this time.', true),
  })
  .refine((filter) => Object.values(filter).some((value) => value != null), 'must have a condition')
  .meta({ id: 'TaskFilter', description: 'The conditions of `GET /tasks`, at least one. A task must match all.' });

const bulkActionSchema = z
  .strictObject({
    id: z.string(),
    action: z.enum(['cancel', 'retry', 'delete']),
    state: z.enum(['running', 'completed', 'stopped']),
    matched: z.int().meta({ description: 'Tasks that matched at the beginning, and could be changed.' }),
    done: z.int().meta({ description: 'Tasks that were cancelled, retried or deleted so far.' }),
    failed: z.int(),
    failures: z
      .array(
        z
          .strictObject({ agent_id: z.string(), task_id: z.string(), code: z.string() })
          .meta({ id: 'BulkActionFailure' }),
      )
      .meta({ description: `The first ${MAX_FAILURES}.` }),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BulkAction' });

export type BulkAction = z.output<typeof bulkActionSchema>;
export type BulkFilter = z.output<typeof filterSchema>;

const EXAMPLE: BulkAction = {
  id: ID_EXAMPLE,
  action: 'retry',
  state: 'running',
  matched: 1200,
  done: 350,
  failed: 1,
  failures: [{ agent_id: AGENT_ID_EXAMPLE, task_id: TASK_ID_EXAMPLE, code: 'quota_exceeded' }],
  created_at: '2026-11-21T09:35:00.000Z',
  ended_at: null,
};

const params = z.object({ id: z.string().meta({ description: 'Id of the bulk action.', example: ID_EXAMPLE }) });

const NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The bulk action does not exist, or ended more than a week ago.',
  example: bulkActionNotFound().body,
};

export const createBulkAction = defineOperation({
  id: 'createBulkAction',
  method: 'post',
  path: '/bulk-actions',
  tag: 'Bulk actions',
  scope: 'tasks:write',
  summary: 'Cancel, retry or delete all tasks that match',
  description:
    '`cancel` changes tasks that have not ended, `retry` and `delete` those that have; others do not count. Only tasks that exist already are changed. With `dry_run` they are only counted. The action runs in the background; follow it by `GET /bulk-actions/{id}`.',
  requestHeaders: IDEMPOTENCY_KEY,
  body: {
    schema: z
      .strictObject({
        action: z.enum(bulkActionSchema.shape.action.options, 'must be cancel, retry or delete'),
        filter: filterSchema,
        dry_run: z.boolean('must be true or false').default(false),
      })
      .meta({ id: 'BulkActionInput' }),
    example: { action: 'retry', filter: { status: ['failed'], type: 'claude' } },
  },
  responses: {
    200: {
      description: 'With `dry_run`: the number of tasks.',
      schema: z.strictObject({ matched: z.int() }).meta({ id: 'BulkActionPreview' }),
      example: { matched: 1200 },
    },
    202: {
      description: 'The action has begun.',
      schema: z.strictObject({ id: z.string(), matched: z.int() }).meta({ id: 'BulkActionCreated' }),
      headers: { ...LOCATION_HEADER, ...REPLAYED_HEADER },
      example: { id: ID_EXAMPLE, matched: 1200 },
    },
  },
  errors: [
    LIMITED_KEY,
    ...IDEMPOTENCY_ERRORS,
    {
      status: 429,
      description: 'Too many bulk actions are running.',
      example: tooManyBulkActions().body,
      headers: RETRY_AFTER,
    },
  ],
});

export const readBulkAction = defineOperation({
  id: 'readBulkAction',
  method: 'get',
  path: '/bulk-actions/{id}',
  tag: 'Bulk actions',
  scope: 'tasks:read',
  summary: 'Read the progress of a bulk action',
  description: 'Kept for a week after its end.',
  params,
  responses: { 200: { description: 'The bulk action.', schema: bulkActionSchema, example: EXAMPLE } },
  errors: [LIMITED_KEY, NOT_FOUND],
});

export const stopBulkAction = defineOperation({
  id: 'stopBulkAction',
  method: 'delete',
  path: '/bulk-actions/{id}',
  tag: 'Bulk actions',
  scope: 'tasks:write',
  summary: 'Stop a bulk action',
  description: 'What it has done remains.',
  params,
  responses: {
    200: {
      description: 'The stopped action.',
      schema: bulkActionSchema,
      example: { ...EXAMPLE, state: 'stopped', ended_at: '2026-11-21T09:35:02.000Z' },
    },
  },
  errors: [
    LIMITED_KEY,
    NOT_FOUND,
    { status: 409, description: 'The action has ended.', example: bulkActionEnded().body },
  ],
});

export function bulkActionNotFound(): HttpError {
  return detailError(404, 'Bulk action not found');
}

export function bulkActionEnded(): HttpError {
  return httpError('bulk_action_ended', 'The bulk action has ended');
}

export function tooManyBulkActions(): HttpError {
  const options = { headers: { 'retry-after': '5' }, rejectedBy: 'bulk_actions' };
  return httpError('rate_limited', 'Too many bulk actions are running; try again', options);
}
