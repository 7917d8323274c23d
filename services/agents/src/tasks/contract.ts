import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract';
import { limitParameter, PAGE_HEADERS, queryText, skipParameter } from '@agent-fleet/shared/paging';
import { z } from 'zod';
import {
  AGENT_NOT_FOUND,
  agentIdParameter,
  ETAG_HEADER,
  IF_NONE_MATCH,
  LOCATION_HEADER,
  NOT_MODIFIED,
} from '../agents/contract.ts';
import { taskInputSchema, taskSchema } from './task.ts';

const EXAMPLE = {
  id: '01997e6d-02c1-7f5e-9d3b-6a1f2b7c8d90',
  agent_id: '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12',
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
  worker_id: null,
  cancel_requested_at: null,
  next_attempt_at: null,
  started_at: null,
  completed_at: null,
  created_at: '2026-11-21T09:31:00.000Z',
  updated_at: '2026-11-21T09:31:00.000Z',
};

const TASK_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'No such task, or it is of another agent.',
  example: { detail: 'Task not found' },
};
const SEMANTIC_ERROR: ErrorDoc = {
  status: 422,
  description:
    'Well formed but impossible: a time in the past, a start after the end, `retry_of` a task that has not ended.',
  example: {
    error: 'semantic_error',
    message: 'scheduled_at: is in the past',
    details: { fields: [{ path: 'scheduled_at', code: 'in_the_past', message: 'is in the past' }] },
  },
};

const agentParams = z.object({ agent_id: agentIdParameter });
const taskParams = agentParams.extend({
  task_id: z.string().meta({ description: 'Id of the task.', example: EXAMPLE.id }),
});

export const listTasks = defineOperation({
  id: 'listAgentTasks',
  method: 'get',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  summary: "List an agent's tasks, oldest first",
  description: 'A page of large tasks may hold fewer than `limit`; the `next` link goes on where it ends.',
  security: 'credentials',
  params: agentParams,
  query: z.object({
    skip: skipParameter,
    limit: limitParameter,
    status: queryText('Only tasks with this status; any text is legal.'),
  }),
  responses: {
    200: { description: 'A page of tasks.', schema: z.array(taskSchema), headers: PAGE_HEADERS, example: [EXAMPLE] },
  },
  errors: [AGENT_NOT_FOUND],
});

export const createTask = defineOperation({
  id: 'createTask',
  method: 'post',
  path: '/agents/{agent_id}/tasks',
  tag: 'Tasks',
  summary: 'Give an agent a task',
  security: 'credentials',
  params: agentParams,
  body: {
    schema: taskInputSchema,
    example: { message: EXAMPLE.message, input: EXAMPLE.input, tags: EXAMPLE.tags },
  },
  responses: {
    201: {
      description: 'The new task.',
      schema: taskSchema,
      headers: { ...ETAG_HEADER, ...LOCATION_HEADER },
      example: EXAMPLE,
    },
  },
  errors: [AGENT_NOT_FOUND, SEMANTIC_ERROR],
});

export const readTask = defineOperation({
  id: 'getTask',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}',
  tag: 'Tasks',
  summary: 'Read a task',
  security: 'credentials',
  params: taskParams,
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: { description: 'The task.', schema: taskSchema, headers: ETAG_HEADER, example: EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
