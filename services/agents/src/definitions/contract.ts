import {
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '@agent-fleet/shared/contract/conditions';
import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation, type ErrorDoc } from '@agent-fleet/shared/contract/operation';
import {
  limitParameter,
  orderParameter,
  PAGE_HEADERS,
  queryBoolean,
  skipParameter,
} from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { VERBATIM } from '../contract/fields.ts';
import { AGENT_NOT_FOUND, agentParams, skillsQuery } from '../contract/parameters.ts';
import { type Definition, definitionInputSchema, definitionSchema } from './definition.ts';

const INPUT_EXAMPLE = {
  description: 'Writes release notes from the commits of a repository',
  instructions: 'Write for users, not for developers. Name breaking changes first.',
  runtime: 'claude-code',
  model: 'claude-opus-5',
  skills: ['github:acme/skills:release-notes'],
  mcp_servers: [
    {
      name: 'issues',
      url: 'https://mcp.example.com/issues',
      headers: { Authorization: { secret: 'ISSUES_TOKEN', prefix: 'Bearer ' } },
    },
  ],
  permissions: { mode: 'edit', allow: ['Bash(git *)'], ask: ['Bash(git push *)'], deny: [] },
  workspace: { repository: 'https://git.example.com/acme/shop.git', ref: 'main' },
  limits: { max_cost: { amount: 2, currency: 'USD' } },
  max_concurrency: 2,
  note: 'Ask before a push',
};

const EXAMPLE = {
  version: 3,
  ...{ ...INPUT_EXAMPLE, note: undefined },
  effort: null,
  output_schema: null,
  requires: [],
  limits: { timeout_seconds: null, max_attempts: null, max_cost: { amount: 2, currency: 'USD' }, max_turns: null },
  retry_policy: null,
  budget: null,
  tags: [],
  created_at: '2026-11-21T09:40:00.000Z',
  created_by: { id: '01997e6a-1f0e-7a3c-8d25-5b7e9c4f2a18', name: 'ada@example.com' },
  note: INPUT_EXAMPLE.note,
} satisfies Definition;

const { instructions: _, output_schema: __, ...LISTED_EXAMPLE } = EXAMPLE;

/** What a list returns of a version. */
const listedDefinitionSchema = definitionSchema
  .omit({ instructions: true, output_schema: true })
  .meta({ id: 'ListedDefinition', description: 'A version without its `instructions` and `output_schema`.' });

export function noDefinition(): HttpError {
  return detailError(404, 'Agent has no definition');
}

export function versionNotFound(): HttpError {
  return detailError(404, 'Version not found');
}

export function definitionsTooLarge(): HttpError {
  return httpError(
    'definitions_too_large',
    'The versions that tasks name and this one are larger than 16 MiB together',
  );
}

/** Of a definition that names an unknown skill. */
export const UNKNOWN_SKILL: ErrorDoc = {
  status: 422,
  description: 'The registry does not have a skill.',
  example: {
    error: 'semantic_error',
    message: 'skills.0: is no skill of the registry: acme~review',
    details: {
      fields: [{ path: 'skills.0', code: 'unknown_skill', message: 'is no skill of the registry: acme~review' }],
    },
  },
};

/** What the operations on the current version have in common. */
const DEFINITION = { path: '/agents/{agent_id}/definition', tag: 'Definitions', params: agentParams } as const;

const current = { schema: definitionSchema, headers: ETAG_HEADER, example: EXAMPLE };

export const readDefinition = defineOperation({
  ...DEFINITION,
  id: 'readDefinition',
  method: 'get',
  scope: 'agents:read',
  summary: 'Read the definition of an agent',
  query: z.object({ optional: queryBoolean('`true`: null, not 404, if the agent has no definition.') }),
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: {
      ...current,
      description: 'The current version. Null only with `optional=true`.',
      schema: orNull(definitionSchema),
    },
    304: NOT_MODIFIED,
  },
  errors: [AGENT_NOT_FOUND, { status: 404, description: 'The agent has no definition.', example: noDefinition().body }],
});

export const putDefinition = defineOperation({
  ...DEFINITION,
  id: 'replaceDefinition',
  method: 'put',
  scope: 'agents:write',
  summary: 'Replace the definition of an agent',
  description:
    'Makes a new version of all fields, which tasks that are created from now on name. Without any difference to the current version it makes none.',
  requestHeaders: IF_MATCH,
  query: skillsQuery,
  body: { schema: definitionInputSchema, verbatim: VERBATIM, example: INPUT_EXAMPLE },
  responses: {
    200: { ...current, description: 'The current version.' },
    201: { ...current, description: 'The first version, or the first one after a deletion.' },
  },
  errors: [
    AGENT_NOT_FOUND,
    PRECONDITION_FAILED,
    {
      status: 409,
      description: 'The versions of an agent have at most 16 MiB. Those that no task names make room, from the oldest.',
      example: definitionsTooLarge().body,
    },
    UNKNOWN_SKILL,
  ],
});

export const deleteDefinition = defineOperation({
  ...DEFINITION,
  id: 'deleteDefinition',
  method: 'delete',
  scope: 'agents:write',
  summary: 'Delete the definition of an agent',
  description: 'Its versions stay. Also successful if the agent has no definition.',
  requestHeaders: IF_MATCH,
  responses: { 204: { description: 'The agent has no definition.' } },
  errors: [AGENT_NOT_FOUND, PRECONDITION_FAILED],
});

export const listVersions = defineOperation({
  id: 'listDefinitionVersions',
  method: 'get',
  path: '/agents/{agent_id}/definition/versions',
  tag: 'Definitions',
  scope: 'agents:read',
  summary: 'List the versions of a definition',
  description:
    'Kept are the last 500 and all that a task names, at most 16 MiB: a page may have fewer than `limit` entries, and `X-Total-Count` counts removed ones too.',
  params: agentParams,
  query: z.object({ skip: skipParameter, limit: limitParameter, order: orderParameter }),
  responses: {
    200: {
      description: 'A page of versions.',
      schema: z.array(listedDefinitionSchema),
      headers: PAGE_HEADERS,
      example: [LISTED_EXAMPLE],
    },
  },
  errors: [AGENT_NOT_FOUND],
});

export const readVersion = defineOperation({
  id: 'readDefinitionVersion',
  method: 'get',
  path: '/agents/{agent_id}/definition/versions/{version}',
  tag: 'Definitions',
  scope: 'agents:read',
  summary: 'Read a version of a definition',
  params: agentParams.extend({
    version: z.string().meta({ description: 'Number of the version.', example: '3' }),
  }),
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: {
      description: 'The version, which never changes.',
      schema: definitionSchema,
      headers: ETAG_HEADER,
      example: EXAMPLE,
    },
    304: NOT_MODIFIED,
  },
  errors: [AGENT_NOT_FOUND, { status: 404, description: 'There is no such version.', example: versionNotFound().body }],
});
