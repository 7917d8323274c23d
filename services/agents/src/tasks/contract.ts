import {
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '@agent-fleet/shared/contract/conditions';
import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { PAGE_HEADERS, queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { PENDING_TASKS, quotaExceededDoc, TOO_MANY_SETS, tooManyOpenDoc, WAITS } from '../contract/callers.ts';
import { VERBATIM } from '../contract/fields.ts';
import { fieldsParameter, listedSchema, orderedPageParameters } from '../contract/lists.ts';
import {
  AGENT_ID_EXAMPLE,
  AGENT_NOT_FOUND,
  agentParams,
  LOCATION_HEADER,
  skillsQuery,
  TASK_ID_EXAMPLE,
  TASK_NOT_FOUND,
  taskParams,
} from '../contract/parameters.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENT_IN_PROGRESS, REPLAYED_HEADER } from '../idempotency/contract.ts';
import { recordFilterParameters } from './record-filter.ts';
import { type Task, taskInputSchema, taskSchema } from './task.ts';
import { statusParameter, taskFilterParameters } from './task-filter.ts';

export const TASK_EXAMPLE: Task = {
  id: TASK_ID_EXAMPLE,
  agent_id: AGENT_ID_EXAMPLE,
  message: 'Write the release notes of version 2.4',
  input: { from: 'v2.3', to: 'v2.4' },
  status: 'pending',
  priority: 5,
  scheduled_at: null,
  expires_at: '2026-11-22T09:31:00.000Z',
  timeout_seconds: 3600,
  max_attempts: 3,
  retry_policy: { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 300, jitter: 0.5 },
  attempt: 0,
  result: null,
  error: null,
  progress: null,
  tags: ['release'],
  metadata: null,
  retry_of: null,
  skills: ['anthropics~skills~changelog'],
  workspace: { repository: 'https://git.example.com/acme/shop.git', ref: 'main' },
  model: 'claude-opus-5',
  output_schema: { type: 'object', properties: { notes: { type: 'string' } }, required: ['notes'] },
  max_cost: { amount: 2.5, currency: 'USD' },
  continue_of: null,
  continued_by: [],
  usage: null,
  cost: null,
  agent_version: 3,
  requires: null,
  concurrency_key: null,
  after: null,
  after_failure: null,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  created_by: { id: '01997e7c-2b14-7d0a-9c55-3f0e8d7a6b21', name: 'ada@example.com' },
  worker_id: null,
  cancel_requested_at: null,
  next_attempt_at: null,
  started_at: null,
  completed_at: null,
  created_at: '2026-11-21T09:31:00.000Z',
  updated_at: '2026-11-21T09:31:00.000Z',
};

const SEMANTIC_ERROR: ErrorDoc = {
  status: 422,
  description:
    'A value is well formed but impossible: a time in the past, a start after the expiry, a skill that the registry does not have, or a `retry_of` or `continue_of` that names a task that has not ended; an unknown task in `after` (`unknown_dependency`); or the `Idempotency-Key` was used with a different body.',
  example: {
    error: 'semantic_error',
    message: 'scheduled_at: is in the past',
    details: { fields: [{ path: 'scheduled_at', code: 'in_the_past', message: 'is in the past' }] },
  },
};

const listedTaskSchema = listedSchema(taskSchema.shape, 'TaskFields');

const TASK_PAGE = {
  200: {
    description: 'A page of tasks.',
    schema: z.array(listedTaskSchema),
    headers: PAGE_HEADERS,
    example: [TASK_EXAMPLE],
  },
};

const LIST_PARAMETERS = {
  ...orderedPageParameters,
  fields: fieldsParameter(listedTaskSchema, 'status,created_at'),
};

export const listTasks = defineOperation({
  id: 'listAgentTasks',
  method: 'get',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: "List an agent's tasks",
  description:
    'A page of large tasks may have fewer than `limit` entries. Its `next` link continues after the last one.',
  params: agentParams,
  query: z.object({ ...LIST_PARAMETERS, status: statusParameter }),
  responses: TASK_PAGE,
  errors: [AGENT_NOT_FOUND],
});

export const createTask = defineOperation({
  id: 'createTask',
  method: 'post',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Create a task',
  params: agentParams,
  requestHeaders: IDEMPOTENCY_KEY,
  query: skillsQuery,
  body: {
    schema: taskInputSchema,
    verbatim: VERBATIM,
    example: { message: TASK_EXAMPLE.message, input: TASK_EXAMPLE.input, tags: TASK_EXAMPLE.tags },
  },
  responses: {
    201: {
      description: 'The new task.',
      schema: taskSchema,
      headers: { ...ETAG_HEADER, ...LOCATION_HEADER, ...REPLAYED_HEADER },
      example: TASK_EXAMPLE,
    },
  },
  errors: [AGENT_NOT_FOUND, quotaExceededDoc(PENDING_TASKS), IDEMPOTENT_IN_PROGRESS, TOO_MANY_SETS, SEMANTIC_ERROR],
});

export const readTask = defineOperation({
  id: 'getTask',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'Read a task, or wait until it ends or needs input',
  params: taskParams,
  query: z.object({
    wait: queryInteger({
      min: 0,
      max: 30,
      description: 'Delays the response until the task ends, for at most this many seconds.',
    }),
    until: z
      .enum(['end', 'input'], 'must be end or input')
      .default('end')
      .meta({ description: '`input`: the wait also ends when the task needs input.' }),
  }),
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: { description: 'The task.', schema: taskSchema, headers: ETAG_HEADER, example: TASK_EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, tooManyOpenDoc(WAITS)],
});

export const readThread = defineOperation({
  id: 'getTaskThread',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/thread',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'List the tasks of a conversation',
  description:
    'The task with those that it continues and that continue it, and so on: at most the 100 that were created nearest to it, oldest first. A page of large tasks may have fewer.',
  params: taskParams,
  query: z.object({ fields: LIST_PARAMETERS.fields }),
  responses: {
    200: { description: 'The tasks.', schema: z.array(listedTaskSchema), example: [TASK_EXAMPLE] },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});

export const replaceTask = defineOperation({
  id: 'replaceTask',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Replace a pending task',
  description: 'Replaces all client-supplied fields. A missing field takes its default.',
  params: taskParams,
  requestHeaders: IF_MATCH,
  query: skillsQuery,
  body: { schema: taskInputSchema, verbatim: VERBATIM, example: { message: TASK_EXAMPLE.message, priority: 1 } },
  responses: {
    200: { description: 'The updated task.', schema: taskSchema, headers: ETAG_HEADER, example: TASK_EXAMPLE },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    {
      status: 409,
      description: 'The task is not pending.',
      example: { error: 'task_not_editable', message: 'The task is running: only a pending task can be replaced' },
    },
    TOO_MANY_SETS,
    PRECONDITION_FAILED,
    SEMANTIC_ERROR,
  ],
});

export const deleteTask = defineOperation({
  id: 'deleteTask',
  method: 'delete',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  scope: 'tasks:write',
  summary: 'Delete a task',
  description: 'Revokes the lease if the task is running.',
  params: taskParams,
  requestHeaders: IF_MATCH,
  responses: { 204: { description: 'The task is deleted.' } },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, PRECONDITION_FAILED],
});

const searchOrder = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .optional()
  .meta({ description: '`asc`, the default: oldest first. `desc`, the default with `q`: newest first.' });

export const searchTasks = defineOperation({
  id: 'searchTasks',
  method: 'get',
  path: '/tasks',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'Search the tasks of all agents',
  description:
    'A task must match all filters. A filter value that no task has yields an empty list. A page of large tasks may have fewer than `limit` entries. While tasks of deleted agents are being removed, a page may have fewer or none, and `X-Total-Count` includes them. The `next` link continues after the page. A search by `q`, `error_code`, `model`, `created_by` or `min_duration_seconds` looks at 10,000 tasks or 16 MiB of them at most: its page may have fewer than `limit` entries, or none, though the `next` link continues after the last task that it has looked at, whose id has its time; `X-Total-Count` counts the tasks that match the other filters.',
  query: z.object({ ...LIST_PARAMETERS, order: searchOrder, ...taskFilterParameters, ...recordFilterParameters }),
  responses: TASK_PAGE,
});
