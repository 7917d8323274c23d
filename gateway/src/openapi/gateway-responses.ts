import type { JsonObject } from '@agent-fleet/shared/contract/json-object';
import { createDocument } from '@agent-fleet/shared/contract/openapi';
import { defineOperation, type ErrorDoc, RETRY_AFTER, type Security } from '@agent-fleet/shared/contract/operation';
import { RATE_LIMITED } from '../contract.ts';

/** The gateway's own errors on a proxied path, besides those of every operation. */
const ERRORS: ErrorDoc[] = [
  RATE_LIMITED,
  {
    status: 400,
    description: 'The request is invalid.',
    example: { error: 'validation_error', message: 'The request target is not a plain path with an optional query' },
  },
  {
    status: 502,
    description: 'The service sent an invalid response or closed the connection early.',
    example: { error: 'upstream_error', message: 'The agents service sent no valid response' },
  },
  {
    status: 503,
    description: 'Too many concurrent requests.',
    example: { error: 'overloaded', message: 'Too many requests at once; try again' },
    headers: RETRY_AFTER,
  },
  {
    status: 504,
    description: 'The service did not respond in time.',
    example: { error: 'upstream_timeout', message: 'The agents service did not respond in time' },
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
    ...(security === 'public' ? { security } : { security, scope: 'signed-in' }),
    needsStore: false,
    responses: {},
    errors: ERRORS,
  });
  const { paths } = createDocument('', [{ name: proxied.tag, description: '' }], [proxied]);
  return { ...paths?.['/proxied']?.get?.responses } as JsonObject;
}
