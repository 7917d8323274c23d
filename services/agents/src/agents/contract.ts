import {
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '@agent-fleet/shared/contract/conditions';
import { nameSchema, orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { PAGE_HEADERS, queryBoolean, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { AGENTS, LIMITED_KEY, quotaExceededDoc } from '../contract/callers.ts';
import { agentTypeSchema, VERBATIM } from '../contract/fields.ts';
import { fieldsParameter, listedSchema, orderedPageParameters } from '../contract/lists.ts';
import {
  AGENT_ID_EXAMPLE,
  AGENT_NOT_FOUND,
  agentParams,
  LOCATION_HEADER,
  skillsQuery,
} from '../contract/parameters.ts';
import { wordsParameter } from '../contract/words.ts';
import { UNKNOWN_SKILL } from '../definitions/contract.ts';
import { definitionInputSchema, definitionSchema } from '../definitions/definition.ts';
import { IDEMPOTENCY_ERRORS, IDEMPOTENCY_KEY, REPLAYED_HEADER } from '../idempotency/contract.ts';

export const AGENT_STATUSES = ['idle', 'active', 'waiting', 'error', 'offline'] as const;

const EXAMPLE = {
  id: AGENT_ID_EXAMPLE,
  name: 'Release notes writer',
  type: 'claude',
  status: 'idle',
  created_at: '2026-11-21T09:30:00.000Z',
};

const agentSchema = z
  .strictObject({
    id: z.string().meta({ description: 'A UUIDv7, given by the service.' }),
    name: z.string(),
    type: z.string(),
    status: z.enum(AGENT_STATUSES).meta({
      id: 'AgentState',
      description:
        'Set by the service: `active` while a task runs, `waiting` while none runs and one is `input_required`, afterwards by the outcome of the last running task.',
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Agent' });

const pausedParameter = queryBoolean(
  '`true`: only paused agents. `false`: only the others; then a page may have fewer than `limit` entries, and its `next` link continues.',
);

/** What a list may return of an agent. */
const listedAgentSchema = listedSchema(
  {
    ...agentSchema.shape,
    paused_at: z.iso.datetime().nullable().meta({ description: 'Start of the pause; only if `fields` has it.' }),
    owner: z.string().nullable().meta({ description: 'Only if `fields` has it, or the list is that of an owner.' }),
  },
  'AgentFields',
);

export type Agent = z.output<typeof agentSchema>;

function agentInputSchema(types: readonly string[]) {
  return z
    .strictObject({
      name: nameSchema,
      type: agentTypeSchema(types),
    })
    .meta({ id: 'AgentInput' });
}

const LIST_PARAMETERS = {
  ...orderedPageParameters,
  fields: fieldsParameter(listedAgentSchema, 'name,paused_at'),
  status: queryText('Only agents with this status. Any text is valid.'),
  type: queryText('Only agents of this type. Any text is valid.'),
  paused: pausedParameter,
  name: queryText('Only agents with exactly this name.'),
  owner: queryText('Only agents with exactly this owner.'),
  q: wordsParameter(
    'Each word is somewhere in the name, in any case, or is the beginning of the id. A page may have fewer than `limit` entries, or none, though its `next` link continues.',
  ),
};

const ownerQuery = z.object({
  owner: textSchema(0, 512).optional().meta({
    description: 'What manages the agent, such as the folder of its file. Empty: nothing. Lists name it on request.',
  }),
});

/** Whether a file of an agent can be applied, before anything is stored. */
function checkAgent(types: readonly string[]) {
  const definition = orNull(definitionInputSchema).optional();
  const { shape } = definitionSchema.omit({ version: true, created_at: true, created_by: true });
  const served = z.strictObject(shape).meta({ id: 'DefinitionContent' });
  return defineOperation({
    id: 'checkAgent',
    method: 'post',
    path: '/agent-checks',
    tag: 'Agents',
    scope: 'agents:write',
    summary: 'Check an agent and its definition',
    description: 'Stores nothing. A fault is the same response as when it is stored.',
    query: skillsQuery,
    body: {
      schema: z.strictObject({ ...agentInputSchema(types).shape, definition }).meta({ id: 'AgentCheckInput' }),
      verbatim: VERBATIM,
      example: { name: EXAMPLE.name, type: types[0], definition: { instructions: 'Write for users.' } },
    },
    responses: {
      200: {
        description: 'The definition as it would be stored, null without one.',
        schema: z.strictObject({ definition: orNull(served) }).meta({ id: 'AgentCheck' }),
        example: { definition: null },
      },
    },
    errors: [UNKNOWN_SKILL],
  });
}

/** The operations on agents; `types` are the configured agent types. */
export function createAgentsContract(types: readonly string[]) {
  const body = {
    schema: agentInputSchema(types),
    example: { name: EXAMPLE.name, type: types[0] },
  };
  const example = { ...EXAMPLE, type: types[0] };
  const params = agentParams;

  return {
    list: defineOperation({
      id: 'listAgents',
      method: 'get',
      path: '/agents',
      tag: 'Agents',
      scope: 'agents:read',
      summary: 'List agents',
      query: z.object(LIST_PARAMETERS),
      responses: {
        200: {
          description: 'A page of agents.',
          schema: z.array(listedAgentSchema),
          headers: PAGE_HEADERS,
          example: [example],
        },
      },
    }),
    check: checkAgent(types),
    create: defineOperation({
      id: 'createAgent',
      method: 'post',
      path: '/agents',
      tag: 'Agents',
      scope: 'agents:write',
      summary: 'Create an agent',
      query: ownerQuery,
      requestHeaders: IDEMPOTENCY_KEY,
      body,
      responses: {
        201: {
          description: 'The new agent.',
          schema: agentSchema,
          headers: { ...ETAG_HEADER, ...LOCATION_HEADER, ...REPLAYED_HEADER },
          example,
        },
      },
      errors: [LIMITED_KEY, quotaExceededDoc(AGENTS), ...IDEMPOTENCY_ERRORS],
    }),
    read: defineOperation({
      id: 'getAgent',
      method: 'get',
      path: '/agents/{agent_id}',
      tag: 'Agents',
      scope: 'agents:read',
      summary: 'Read an agent',
      params,
      requestHeaders: IF_NONE_MATCH,
      responses: {
        200: { description: 'The agent.', schema: agentSchema, headers: ETAG_HEADER, example },
        304: NOT_MODIFIED,
      },
      errors: [AGENT_NOT_FOUND],
    }),
    replace: defineOperation({
      id: 'replaceAgent',
      method: 'put',
      path: '/agents/{agent_id}',
      tag: 'Agents',
      scope: 'agents:write',
      summary: 'Replace an agent',
      description: 'Replaces name and type, and the owner only if the query has it. Does not create an agent.',
      params,
      query: ownerQuery,
      requestHeaders: IF_MATCH,
      body,
      responses: {
        200: { description: 'The updated agent.', schema: agentSchema, headers: ETAG_HEADER, example },
      },
      errors: [AGENT_NOT_FOUND, PRECONDITION_FAILED],
    }),
    delete: defineOperation({
      id: 'deleteAgent',
      method: 'delete',
      path: '/agents/{agent_id}',
      tag: 'Agents',
      scope: 'agents:write',
      summary: 'Delete an agent and its tasks',
      params,
      requestHeaders: IF_MATCH,
      responses: { 204: { description: 'The agent is deleted.' } },
      errors: [AGENT_NOT_FOUND, PRECONDITION_FAILED],
    }),
  };
}

export type AgentsContract = ReturnType<typeof createAgentsContract>;
