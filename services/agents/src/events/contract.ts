import { defineOperation, type HeaderDoc, type ResponseDoc } from '@agent-fleet/shared/contract/operation';
import { limitParameter, orderParameter, queryInteger, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { STREAMS, tooManyOpenDoc } from '../contract/callers.ts';
import {
  AGENT_ID_EXAMPLE,
  AGENT_NOT_FOUND,
  agentParams,
  TASK_ID_EXAMPLE,
  TASK_NOT_FOUND,
  taskParams,
} from '../contract/parameters.ts';
import { EVENT_TYPES, eventSchema } from './event.ts';

const EXAMPLE = {
  id: '17',
  type: 'task.leased',
  agent_id: AGENT_ID_EXAMPLE,
  task_id: TASK_ID_EXAMPLE,
  status: 'running',
  at: '2026-11-21T09:31:02.000Z',
  data: { attempt: 1, worker_id: 'builder-7' },
};

const DESCRIPTION =
  'Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15 s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that are no longer stored.';

const TOO_MANY_STREAMS = tooManyOpenDoc(STREAMS);

const LAST_EVENT_ID: Record<string, HeaderDoc> = {
  'Last-Event-ID': {
    description: 'Resumes a stream after this event.',
    schema: { type: 'string', example: '17' },
  },
};

const AFTER = { min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Only events after the one with this id.' };

const query = z.object({ after: queryInteger(AFTER), limit: limitParameter });

const orderedQuery = query.extend({
  after: queryInteger({ ...AFTER, description: `${AFTER.description} With \`order=desc\`, only older ones.` }),
  order: orderParameter.meta({
    description:
      '`asc`: oldest first. `desc`, not for streams: newest first, without `resync`; `Link` continues to the oldest.',
  }),
});

const TYPES = new Set<string>([...EVENT_TYPES, 'resync']);

const typesParameter = z
  .string('must be given once')
  .transform((text) => (text === '' ? undefined : text.split(',')))
  .refine((types) => types?.every((type) => TYPES.has(type)) !== false, 'must be a list of types of events')
  .optional()
  .meta({
    type: 'string',
    description: 'Only events of these types, separated by commas.',
    example: 'task.completed,task.failed',
  });

const response: ResponseDoc = {
  description: 'The events, oldest first.',
  schema: z.array(eventSchema),
  stream: 'Each event as `id:`, `event:` (its type) and `data:` (its JSON).',
  example: [EXAMPLE],
};

/** `when`: with which other parameters an ascending page has a link. */
function orderedResponse(when: string): ResponseDoc {
  return {
    ...response,
    description: 'The events in the requested order.',
    headers: {
      Link: {
        description: `${when}: \`rel="next"\` if more events may follow.`,
        schema: { type: 'string' },
      },
    },
  };
}

/** What the operations have in common. */
const LIST = {
  method: 'get',
  tag: 'Events',
  scope: 'events:read',
  query,
  requestHeaders: LAST_EVENT_ID,
  responses: { 200: response },
} as const;

export const listFleetEvents = defineOperation({
  ...LIST,
  id: 'listEvents',
  path: '/events',
  query: orderedQuery.extend({
    types: typesParameter,
    agent_type: queryText('Only events of agents that had this type then, and of their tasks. Any text is valid.'),
    agent_id: queryText('Only events of this agent and its tasks. Any text is valid.'),
  }),
  summary: 'List or stream events of the fleet',
  description: `${DESCRIPTION} The last 100,000 events are stored. Without \`Last-Event-ID\` a stream has new events only. Filters are combined. With filters, or an API key that is limited to agents, a page may have fewer than \`limit\` events, or none, although more follow. Its \`Link\` then continues. A \`resync\` always matches.`,
  responses: {
    200: orderedResponse('With filters, for a key that is limited to agents, and with `order=desc`'),
  },
  errors: [TOO_MANY_STREAMS],
});

export const listAgentEvents = defineOperation({
  ...LIST,
  id: 'listAgentEvents',
  path: '/agents/{agent_id}/events',
  summary: 'List or stream events of an agent and its tasks',
  description: `${DESCRIPTION} The last 1,000 events are stored. Without \`Last-Event-ID\` a stream has new events only.`,
  params: agentParams,
  query: orderedQuery,
  responses: { 200: orderedResponse('With `order=desc`') },
  errors: [AGENT_NOT_FOUND, TOO_MANY_STREAMS],
});

export const listTaskEvents = defineOperation({
  ...LIST,
  id: 'listTaskEvents',
  path: '/agents/{agent_id}/tasks/{task_id}/events',
  summary: 'List or stream events of a task',
  description: `${DESCRIPTION} A stream starts with the task's past events and closes after the task ends.`,
  params: taskParams,
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND, TOO_MANY_STREAMS],
});
