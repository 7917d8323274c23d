import { defineOperation, type HeaderDoc, type ResponseDoc } from '@agent-fleet/shared/contract/operation';
import { limitParameter, queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { AGENT_NOT_FOUND, agentIdParameter } from '../agents/contract.ts';
import { TASK_EXAMPLE, TASK_NOT_FOUND, taskParams } from '../tasks/contract.ts';
import { eventSchema } from './event.ts';

const EXAMPLE = {
  id: '17',
  type: 'task.leased',
  agent_id: TASK_EXAMPLE.agent_id,
  task_id: TASK_EXAMPLE.id,
  status: 'running',
  at: '2026-11-21T09:31:02.000Z',
  data: { attempt: 1, worker_id: 'builder-7' },
};

const DESCRIPTION =
  'A JSON array, or with `Accept: text/event-stream` Server-Sent Events that go on; a comment comes every 15 s. Resume after the last event by `Last-Event-ID`. Events that are no longer kept are told by one `resync` in their place.';

const LAST_EVENT_ID: Record<string, HeaderDoc> = {
  'Last-Event-ID': {
    description: 'For a stream: goes on after this event.',
    schema: { type: 'string', example: '17' },
  },
};

const query = z.object({
  after: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Only events after the one with this id.' }),
  limit: limitParameter,
});

const response: ResponseDoc = {
  description: 'The events, oldest first.',
  schema: z.array(eventSchema),
  stream: 'Each event as `id:`, `event:` (its type) and `data:` (its JSON).',
  example: [EXAMPLE],
};

export const listFleetEvents = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  tag: 'Events',
  summary: 'What happens in the fleet',
  description: `${DESCRIPTION} 100,000 events are kept. Without \`Last-Event-ID\` a stream starts with what comes from now.`,
  security: 'credentials',
  query,
  requestHeaders: LAST_EVENT_ID,
  responses: { 200: response },
});

export const listAgentEvents = defineOperation({
  id: 'listAgentEvents',
  method: 'get',
  path: '/agents/{agent_id}/events',
  tag: 'Events',
  summary: 'What happens to an agent and its tasks',
  description: `${DESCRIPTION} 1,000 events are kept. Without \`Last-Event-ID\` a stream starts with what comes from now.`,
  security: 'credentials',
  params: z.object({ agent_id: agentIdParameter }),
  query,
  requestHeaders: LAST_EVENT_ID,
  responses: { 200: response },
  errors: [AGENT_NOT_FOUND],
});

export const listTaskEvents = defineOperation({
  id: 'listTaskEvents',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/events',
  tag: 'Events',
  summary: 'What happens to a task',
  description: `${DESCRIPTION} A stream starts with the task's past and closes after its end.`,
  security: 'credentials',
  params: taskParams,
  query,
  requestHeaders: LAST_EVENT_ID,
  responses: { 200: response },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
