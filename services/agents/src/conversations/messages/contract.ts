import { orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { PAGE_HEADERS } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { LEASE_LOST, LEASE_NOT_FOUND, LEASE_TOKEN_EXAMPLE, leaseParams, tokenSchema } from '../../contract/leases.ts';
import { orderedPageParameters } from '../../contract/lists.ts';
import { AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../../contract/parameters.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_KEY, REPLAYED_HEADER } from '../../idempotency/contract.ts';

const MAX_MESSAGE = 32_768;

export const MODES = ['queue', 'steer', 'interrupt'] as const;
const MESSAGE_STATES = ['queued', 'received', 'delivered', 'dropped'] as const;
const DELIVERIES = ['prompt', ...MODES] as const;

export type Mode = (typeof MODES)[number];

const messageSchema = z
  .strictObject({
    id: z.string(),
    mode: z.enum(MODES),
    text: z.string(),
    by: orNull(z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'MessageSender' })),
    state: z.enum(MESSAGE_STATES).meta({
      description:
        '`received`: the worker has it; `delivered`: the agent has it. What was not delivered when an attempt ends is `queued` again, and `dropped` when the task ends.',
    }),
    delivered_as: z
      .enum(DELIVERIES)
      .nullable()
      .meta({ description: 'How the agent took it. `queue` before that: the worker cannot steer or interrupt it.' }),
    created_at: z.iso.datetime(),
    delivered_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Message' });

export type Message = z.output<typeof messageSchema>;

const EXAMPLE: Message = {
  id: '01997e6d-b1c8-7a02-9f3e-5d6c7b8a9012',
  mode: 'steer',
  text: 'Write them in French',
  by: { id: '01997e7c-2b14-7d0a-9c55-3f0e8d7a6b21', name: 'ada@example.com' },
  state: 'queued',
  delivered_as: null,
  created_at: '2026-11-21T09:31:12.000Z',
  delivered_at: null,
};

const NOT_SUPPORTED: ErrorDoc = {
  status: 409,
  description: 'The worker of the running task takes none.',
  example: { error: 'messages_not_supported', message: 'The worker of this task takes no messages' },
};

export const sendMessage = defineOperation({
  id: 'sendMessage',
  method: 'post',
  path: '/agents/{agent_id}/tasks/{task_id}/messages',
  tag: 'Messages',
  scope: 'tasks:write',
  summary: 'Say something to a task',
  description:
    '`queue`: for the turn after this one; `steer`: for the running turn, where the agent can take it; `interrupt`: stops the turn and goes on with the text. A pending task has it in its first prompt. A task has at most 100 messages that are not delivered, and 500 in its life.',
  params: taskParams,
  requestHeaders: IDEMPOTENCY_KEY,
  body: {
    schema: z
      .strictObject({
        text: textSchema(1, MAX_MESSAGE),
        mode: z.enum(MODES, `must be one of ${MODES.join(', ')}`).default('queue'),
      })
      .meta({ id: 'MessageInput' }),
    example: { text: EXAMPLE.text, mode: EXAMPLE.mode },
  },
  responses: {
    202: { description: 'The message waits.', schema: messageSchema, headers: REPLAYED_HEADER, example: EXAMPLE },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    NOT_SUPPORTED,
    {
      status: 409,
      description: 'The task has ended (`task_ended`), or has too many messages.',
      example: { error: 'too_many_messages', message: 'The task has 100 messages that are not delivered' },
    },
    ...IDEMPOTENCY_ERRORS,
  ],
});

export const listMessages = defineOperation({
  id: 'listMessages',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/messages',
  tag: 'Messages',
  scope: 'tasks:read',
  summary: 'List what was said to a task',
  description: 'Oldest first by default. A page of large messages may have fewer than `limit` entries.',
  params: taskParams,
  query: z.object(orderedPageParameters),
  responses: {
    200: {
      description: 'A page of messages.',
      schema: z.array(messageSchema),
      headers: PAGE_HEADERS,
      example: [EXAMPLE],
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});

const interruptionSchema = z
  .strictObject({
    request_id: z.string().nullable().meta({ description: 'The request that asks what now; null before it is open.' }),
  })
  .meta({ id: 'Interruption' });

export const interruptTask = defineOperation({
  id: 'interruptTask',
  method: 'put',
  path: '/agents/{agent_id}/tasks/{task_id}/interruption',
  tag: 'Messages',
  scope: 'tasks:write',
  summary: 'Interrupt a running task',
  description:
    'Its agent stops what it does; within 5 s the task is `input_required` with a question: continue, stop, or what else it is to do. Idempotent.',
  params: taskParams,
  responses: {
    200: {
      description: 'The task is `input_required` already.',
      schema: interruptionSchema,
      example: { request_id: '01997e6d-9a40-7e21-8c55-1b7d3f0a9c64' },
    },
    202: { description: 'The worker is told.', schema: interruptionSchema, example: { request_id: null } },
  },
  errors: [
    AGENT_NOT_FOUND,
    TASK_NOT_FOUND,
    NOT_SUPPORTED,
    {
      status: 409,
      description: 'The task is pending or has ended.',
      example: { error: 'task_not_running', message: 'The task is pending' },
    },
  ],
});

export const confirmInterruption = defineOperation({
  id: 'confirmInterruption',
  method: 'put',
  path: '/leases/{lease_id}/interruption',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Confirm that the agent has stopped its turn',
  description: 'Opens the question to a person at once. Idempotent.',
  params: leaseParams,
  body: {
    schema: z.strictObject({ token: tokenSchema }).meta({ id: 'InterruptionConfirmation' }),
    example: { token: LEASE_TOKEN_EXAMPLE },
  },
  responses: { 204: { description: 'The question is open, or nobody has asked for an interruption.' } },
  errors: [LEASE_NOT_FOUND, LEASE_LOST],
});

export const reportMessage = defineOperation({
  id: 'reportMessage',
  method: 'put',
  path: '/leases/{lease_id}/messages/{message_id}',
  tag: 'Leases',
  scope: 'leases:write',
  summary: 'Report how the agent took a message',
  description: 'Delivered as `interrupt`, it withdraws the input requests of the turn that it stopped. Idempotent.',
  params: leaseParams.extend({
    message_id: z.string().meta({ description: 'Id of the message.', example: EXAMPLE.id }),
  }),
  body: {
    schema: z
      .strictObject({
        token: tokenSchema,
        state: z.enum(['delivered', 'dropped'], 'must be delivered or dropped'),
        as: z.enum(DELIVERIES, `must be one of ${DELIVERIES.join(', ')}`).nullish(),
      })
      .refine(({ state, as }) => state === 'dropped' || as != null, { path: ['as'], message: 'is required' })
      .meta({ id: 'MessageReport' }),
    example: { token: LEASE_TOKEN_EXAMPLE, state: 'delivered', as: 'steer' },
  },
  responses: { 204: { description: 'The message is delivered or dropped.' } },
  errors: [
    LEASE_NOT_FOUND,
    LEASE_LOST,
    { status: 404, description: 'The task has no such message.', example: { detail: 'Message not found' } },
  ],
});
