import {
  ETAG_HEADER,
  IF_MATCH,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PRECONDITION_FAILED,
} from '@agent-fleet/shared/contract/conditions';
import { defineOperation, type ErrorDoc, type HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { limitParameter, PAGE_HEADERS, skipParameter } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { type ApiKey, apiKeyInputSchema, apiKeySchema, newApiKeySchema } from './fields.ts';

/** Enough for every field at its longest, escaped. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_GRACE_SECONDS = 604_800;
const DEFAULT_GRACE_SECONDS = 86_400;

const EXAMPLE: ApiKey = {
  id: '01997e70-1f3b-7d02-8c11-5b9a0e6f4c21',
  name: 'Build workers',
  scopes: ['agents:read', 'tasks:read', 'leases:write'],
  agent_ids: null,
  owner: 'ada@example.com',
  source: 'api',
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2027-02-19T09:30:00.000Z',
  last_used_at: null,
  rate_limit_per_minute: null,
};
const NEW_EXAMPLE = { ...EXAMPLE, key: 'afk_EXAMPLE00000_EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0000000' };

const params = z.object({ key_id: z.string().meta({ description: 'Id of the API key.', example: EXAMPLE.id }) });

const NOT_A_MANAGER: ErrorDoc = {
  status: 403,
  description: 'The caller is a key, or a user of another issuer, without `users:admin`.',
  example: {
    error: 'forbidden',
    message: 'This needs the scope users:admin',
    details: { required: 'users:admin' },
  },
};
const MORE_THAN_THE_CALLER: ErrorDoc = {
  status: 403,
  description: 'The key has scopes, or agents, that the caller does not have.',
  example: {
    error: 'forbidden',
    message: 'This needs the scope tasks:write',
    details: { required: 'tasks:write' },
  },
};
const NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The API key does not exist, or belongs to somebody else.',
  example: { detail: 'API key not found' },
};
const MANAGED_BY_ENVIRONMENT: ErrorDoc = {
  status: 409,
  description: 'The key is one of `API_KEYS`.',
  example: { error: 'managed_by_environment', message: 'This key is one of API_KEYS' },
};
const LOCATION: Record<string, HeaderDoc> = {
  Location: { description: 'Path of the key.', schema: { type: 'string' }, required: true },
};
const NO_STORE: Record<string, HeaderDoc> = {
  'Cache-Control': { description: 'Always `no-store`.', schema: { type: 'string' }, required: true },
};
const NEW_KEY = {
  schema: newApiKeySchema,
  headers: { ...ETAG_HEADER, ...LOCATION, ...NO_STORE },
  example: NEW_EXAMPLE,
};

export const listApiKeys = defineOperation({
  id: 'listApiKeys',
  method: 'get',
  path: '/api-keys',
  tag: 'API keys',
  summary: 'List API keys, oldest first',
  description: "One's own; with `users:admin` all, those of `API_KEYS` first. Expired keys are listed for 30 days.",
  scope: 'signed-in',
  query: z.object({ skip: skipParameter, limit: limitParameter }),
  responses: {
    200: {
      description: 'A page of API keys.',
      schema: z.array(apiKeySchema),
      headers: PAGE_HEADERS,
      example: [EXAMPLE],
    },
  },
  errors: [NOT_A_MANAGER],
});

export const createApiKey = defineOperation({
  id: 'createApiKey',
  method: 'post',
  path: '/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The answer has the key itself, which is shown this once. Either `role` or `scopes` must be given.',
  scope: 'signed-in',
  body: {
    schema: apiKeyInputSchema,
    example: { name: EXAMPLE.name, role: 'worker', expires_at: EXAMPLE.expires_at },
    maxBytes: MAX_BODY_BYTES,
  },
  responses: { 201: { description: 'The new API key.', ...NEW_KEY } },
  errors: [
    NOT_A_MANAGER,
    MORE_THAN_THE_CALLER,
    {
      status: 403,
      description: 'The owner has 100 API keys that have not expired.',
      example: { error: 'quota_exceeded', message: 'There are 100 API keys of this owner already' },
    },
    {
      status: 422,
      description: '`expires_at` is in the past, or more than 366 days ahead.',
      example: {
        error: 'semantic_error',
        message: 'expires_at: is in the past',
        details: { fields: [{ path: 'expires_at', code: 'in_the_past', message: 'is in the past' }] },
      },
    },
  ],
});

export const getApiKey = defineOperation({
  id: 'getApiKey',
  method: 'get',
  path: '/api-keys/{key_id}',
  tag: 'API keys',
  summary: 'Read an API key, without the key itself',
  scope: 'signed-in',
  params,
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: { description: 'The API key.', schema: apiKeySchema, headers: ETAG_HEADER, example: EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [NOT_A_MANAGER, NOT_FOUND],
});

export const deleteApiKey = defineOperation({
  id: 'deleteApiKey',
  method: 'delete',
  path: '/api-keys/{key_id}',
  tag: 'API keys',
  summary: 'Delete an API key',
  description: 'It is refused everywhere within a moment, and so are the keys that rotations replaced.',
  scope: 'signed-in',
  params,
  requestHeaders: IF_MATCH,
  responses: { 204: { description: 'The API key is deleted.' } },
  errors: [NOT_A_MANAGER, NOT_FOUND, MANAGED_BY_ENVIRONMENT, PRECONDITION_FAILED],
});

const graceMessage = `must be a whole number from 0 to ${MAX_GRACE_SECONDS}`;

export const rotateApiKey = defineOperation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/api-keys/{key_id}/rotations',
  tag: 'API keys',
  summary: 'Replace the text of an API key',
  description:
    'Id, name, scopes, agents and expiry stay. The old text works for `grace_seconds` more; with 0, only the new one works from now on.',
  scope: 'signed-in',
  params,
  body: {
    schema: z
      .strictObject({
        grace_seconds: z
          .int(graceMessage)
          .min(0, graceMessage)
          .max(MAX_GRACE_SECONDS, graceMessage)
          .default(DEFAULT_GRACE_SECONDS),
      })
      .meta({ id: 'ApiKeyRotation' }),
    example: { grace_seconds: 3_600 },
    maxBytes: MAX_BODY_BYTES,
    optional: true,
  },
  responses: { 201: { description: 'The API key with its new text.', ...NEW_KEY } },
  errors: [
    NOT_A_MANAGER,
    MORE_THAN_THE_CALLER,
    {
      status: 403,
      description: 'Ten replaced texts of this key are still valid.',
      example: { error: 'quota_exceeded', message: '10 replaced keys are still valid; rotate with grace_seconds 0' },
    },
    NOT_FOUND,
    MANAGED_BY_ENVIRONMENT,
    {
      status: 422,
      description: 'The key has expired.',
      example: {
        error: 'semantic_error',
        message: 'The key has expired; create another one',
      },
    },
  ],
});
