import { createDocument } from '@agent-fleet/shared/contract/openapi';
import { defineOperation, type ErrorDoc, type Security } from '@agent-fleet/shared/contract/operation';
import { RATE_LIMITED } from '../rate-limits/contract.ts';
import type { JsonObject } from './json-object.ts';

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer' as const },
    required: true,
  },
};

/** What the gateway itself answers on a proxied path, beside what every operation may. */
const ERRORS: ErrorDoc[] = [
  RATE_LIMITED,
  {
    status: 400,
    description: 'The request does not fit this description.',
    example: { error: 'validation_error', message: 'The path holds a dot segment' },
  },
  {
    status: 502,
    description: 'The service answered garbage or broke off.',
    example: { error: 'upstream_error', message: 'The service broke off its answer' },
  },
  {
    status: 503,
    description: 'Too many requests at once.',
    example: { error: 'overloaded', message: 'Too many requests at once; try again' },
    headers: RETRY_AFTER,
  },
  {
    status: 504,
    description: 'The service did not answer in time.',
    example: { error: 'upstream_timeout', message: 'The service did not answer in time' },
  },
];

/** The gateway's own responses on proxied paths of this access, by status, as an OpenAPI document has them. */
export function gatewayResponses(security: Security): JsonObject {
  const proxied = defineOperation({
    id: 'proxied',
    method: 'get',
    path: '/proxied',
    tag: 'Proxied',
    summary: '',
    security,
    needsStore: false,
    responses: {},
    errors: ERRORS,
  });
  const { paths } = createDocument('', [{ name: proxied.tag, description: '' }], [proxied]);
  return { ...paths?.['/proxied']?.get?.responses } as JsonObject;
}
