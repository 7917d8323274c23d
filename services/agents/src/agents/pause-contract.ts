import { orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryBoolean } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { AGENT_NOT_FOUND, agentNotPaused, agentParams } from '../contract/parameters.ts';

const MAX_REASON = 500;

const pauseSchema = z
  .strictObject({
    paused_at: z.iso.datetime().meta({ description: 'Start of the pause.' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Pause' });

export type Pause = z.output<typeof pauseSchema>;

const EXAMPLE: Pause = { paused_at: '2026-11-21T09:40:00.000Z', reason: 'The API of the model is down' };

/** What the operations on a pause have in common. */
const PAUSE = {
  path: '/agents/{agent_id}/pause',
  tag: 'Agents',
  params: agentParams,
} as const;

export const readPause = defineOperation({
  ...PAUSE,
  id: 'readPause',
  method: 'get',
  scope: 'agents:read',
  summary: 'Read since when and why an agent is paused',
  query: z.object({ optional: queryBoolean('`true`: null, not 404, if the agent is not paused.') }),
  responses: {
    200: {
      description: 'The pause. Null only with `optional=true`.',
      schema: orNull(pauseSchema),
      example: EXAMPLE,
    },
  },
  errors: [AGENT_NOT_FOUND, { status: 404, description: 'The agent is not paused.', example: agentNotPaused().body }],
});

export const pauseAgent = defineOperation({
  ...PAUSE,
  id: 'pauseAgent',
  method: 'put',
  scope: 'agents:write',
  summary: 'Pause an agent',
  description:
    'Then no task of the agent is leased. Tasks that run go on, and new ones can be created. An agent that is paused keeps its `paused_at`; its `reason` changes.',
  body: {
    schema: z
      .strictObject({
        reason: textSchema(0, MAX_REASON)
          .nullish()
          .meta({ type: ['string', 'null'], maxLength: MAX_REASON }),
      })
      .meta({ id: 'PauseInput' }),
    optional: true,
    example: { reason: EXAMPLE.reason },
  },
  responses: { 200: { description: 'The pause.', schema: pauseSchema, example: EXAMPLE } },
  errors: [AGENT_NOT_FOUND],
});

export const resumeAgent = defineOperation({
  ...PAUSE,
  id: 'resumeAgent',
  method: 'delete',
  scope: 'agents:write',
  summary: 'Resume an agent',
  description: 'Workers that wait get its tasks at once. Also successful if the agent is not paused.',
  responses: { 204: { description: 'The agent is not paused.' } },
  errors: [AGENT_NOT_FOUND],
});
