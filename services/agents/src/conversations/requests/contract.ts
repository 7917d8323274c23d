import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { PAGE_HEADERS, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { VERBATIM } from '../../contract/fields.ts';
import {
  LEASE_LOST,
  LEASE_NOT_FOUND,
  LEASE_TOKEN_EXAMPLE,
  LEASE_TOKEN_HEADER,
  leaseParams,
  tokenSchema,
} from '../../contract/leases.ts';
import { orderedPageParameters } from '../../contract/lists.ts';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../../contract/parameters.ts';
import { answerInputSchema, KINDS, REQUEST_EXAMPLE, REQUEST_STATES, requestFields, requestSchema } from './request.ts';

/** A tool's input, beside texts and options of the largest size. */
const REQUEST_BODY_BYTES = 512 * 1024;

const REQUEST_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The input request does not exist.',
  example: { detail: 'Input request not found' },
};

const requestParams = taskParams.extend({
  request_id: z.string().meta({ description: 'Id of the input request.', example: REQUEST_EXAMPLE.id }),
});

const REQUEST_PAGE = {
  200: {
    description: 'A page of input requests.',
    schema: z.array(requestSchema),
    headers: PAGE_HEADERS,
    example: [REQUEST_EXAMPLE],
  },
};

export const listInputRequests = defineOperation({
  id: 'listInputRequests',
  method: 'get',
  path: '/input-requests',
  tag: 'Input requests',
  scope: 'tasks:read',
  summary: 'List what tasks ask',
  description:
    'The input requests of all agents, oldest first by default. A page of large requests may have fewer than `limit` entries. Its `next` link continues.',
  query: z.object({
    ...orderedPageParameters,
    state: z.enum(REQUEST_STATES, `must be one of ${REQUEST_STATES.join(', ')}`).default('open'),
    kind: z.enum(KINDS, `must be one of ${KINDS.join(', ')}`).optional(),
    agent_id: queryText('Only those of this agent.'),
    type: queryText('Only those of tasks whose agent had this type at their creation.'),
    task_id: queryText('Only those of this task.'),
  }),
  responses: REQUEST_PAGE,
});

export const listTaskInputRequests = defineOperation({
  id: 'listTaskInputRequests',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/input-requests',
  tag: 'Input requests',
  scope: 'tasks:read',
  summary: 'List what a task has asked',
  description: 'Of all states, oldest first by default. A page of large requests may have fewer than `limit` entries.',
  params: taskParams,
  query: z.object(orderedPageParameters),
  responses: REQUEST_PAGE,
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});

export const readInputRequest = defineOperation({
  id: 'getInputRequest',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}',
  tag: 'Input requests',
  scope: 'tasks:read',
  summary: 'Read an input request',
  params: requestParams,
  responses: { 200: { description: 'The input request.', schema: requestSchema, example: REQUEST_EXAMPLE } },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, REQUEST_NOT_FOUND],
});

export const answerInputRequest = defineOperation({
  id: 'answerInputRequest',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}/answer',
  tag: 'Input requests',
  scope: 'tasks:answer',
  summary: 'Answer an input request',
  description:
    'With options, a text or values, as the request allows. Of several answers the first counts; the same again returns the request.',
  params: requestParams,
  body: { schema: answerInputSchema, verbatim: VERBATIM, example: { option_ids: ['deny'], text: 'Tag it first' } },
  responses: {
    200: {
      description: 'The answered request.',
      schema: requestSchema,
      example: {
        ...REQUEST_EXAMPLE,
        state: 'answered',
        answer: {
          option_ids: ['deny'],
          text: 'Tag it first',
          values: null,
          tool_digest: null,
          by: { id: '01997e7c-2b14-7d0a-9c55-3f0e8d7a6b21', name: 'ada@example.com' },
          at: '2026-11-21T09:33:00.000Z',
        },
      },
    },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    REQUEST_NOT_FOUND,
    {
      status: 409,
      description:
        'Somebody has answered differently, or the request has expired or was withdrawn (`input_request_closed`).',
      example: {
        error: 'already_answered',
        message: 'grace@example.com has already answered',
        details: {
          by: { id: '01997e7c-5d02-7c3e-b7a9-0c4f1e2d3a45', name: 'grace@example.com' },
          at: '2026-11-21T09:32:00.000Z',
        },
      },
    },
  ],
});

export const createInputRequest = defineOperation({
  id: 'createInputRequest',
  method: 'post',
  path: '/leases/{lease_id}/input-requests',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Ask a person',
  description:
    'The task is `input_required` until all its open requests are answered, withdrawn or expired with a default; meanwhile the clock of `timeout_seconds` stands still. A task has at most 16 open requests, and 200 in its life.',
  params: leaseParams,
  body: {
    schema: z.strictObject({ token: tokenSchema, ...requestFields }).meta({ id: 'InputRequestInput' }),
    verbatim: VERBATIM,
    maxBytes: REQUEST_BODY_BYTES,
    example: {
      token: LEASE_TOKEN_EXAMPLE,
      key: REQUEST_EXAMPLE.key,
      kind: 'approval',
      title: REQUEST_EXAMPLE.title,
      tool: { name: 'Bash', input: { command: 'git push origin v2.4' } },
    },
  },
  responses: {
    200: { description: 'The request that has this `key` already.', schema: requestSchema, example: REQUEST_EXAMPLE },
    201: { description: 'The new request.', schema: requestSchema, example: REQUEST_EXAMPLE },
  },
  errors: [
    LEASE_NOT_FOUND,
    LEASE_LOST,
    {
      status: 409,
      description:
        'The worker did not say that it accepts `input`, or there are too many requests (`too_many_input_requests`).',
      example: {
        error: 'input_not_accepted',
        message: 'The worker did not say in its lease request that it accepts input',
      },
    },
    {
      status: 422,
      description: 'The task has another request with this `key`.',
      example: {
        error: 'semantic_error',
        message: 'key: was used for another request',
        details: { fields: [{ path: 'key', code: 'reused', message: 'was used for another request' }] },
      },
    },
  ],
});

export const withdrawInputRequest = defineOperation({
  id: 'withdrawInputRequest',
  method: 'delete',
  path: '/leases/{lease_id}/input-requests/{request_id}',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Withdraw an input request',
  description: 'Idempotent. An answered request stays answered.',
  params: leaseParams.extend({ request_id: requestParams.shape.request_id }),
  requestHeaders: LEASE_TOKEN_HEADER,
  responses: { 204: { description: 'The request is closed.' } },
  errors: [LEASE_NOT_FOUND, LEASE_LOST, REQUEST_NOT_FOUND],
});
