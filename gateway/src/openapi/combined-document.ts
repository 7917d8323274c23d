import { createDocument } from '@agent-fleet/shared/contract/openapi';
import type { Security } from '@agent-fleet/shared/contract/operation';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS, TAGS } from '../contract.ts';
import type { JsonObject } from '../json-object.ts';
import type { RouteTable } from '../routing/route-table.ts';
import type { UpstreamName } from '../routing/routes.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { mergeDocuments } from './merge.ts';
import type { Part, SecurityRequirement } from './part.ts';

const INFO = {
  title: 'Agent Fleet API',
  version: '1.0.0',
  description:
    'Agents, their tasks, and a registry of skills for them. Get a token from `POST /token` and send it as `Authorization: Bearer …`, ' +
    'or send an API key as `X-API-Key`; the registry is public.',
};
const BASE = {
  info: INFO,
  servers: [{ url: '/' }],
  components: { securitySchemes: Object.fromEntries(SCHEMES.map((scheme) => [scheme.name, scheme.securityScheme])) },
};

const AUTHENTICATION = createDocument(INFO.title, TAGS, AUTHENTICATION_OPERATIONS);
const GATEWAY = createDocument(INFO.title, TAGS, GATEWAY_OPERATIONS);
const FIRST: Part = { name: 'authentication', document: AUTHENTICATION, accepts: () => true };
const LAST: Part = { name: 'gateway', document: GATEWAY, accepts: () => true };

const REQUIREMENTS: Record<Security, SecurityRequirement[]> = {
  public: [],
  credentials: SCHEMES.map(({ name }) => ({ [name]: [] })),
  bearer: [{ bearer: [] }],
};
const RESPONSES: Record<Security, JsonObject> = {
  public: gatewayResponses('public'),
  credentials: gatewayResponses('credentials'),
  bearer: {},
};

/** Puts the services' parts between the gateway's own. @throws MergeError for parts that collide */
export function combineDocuments(parts: readonly Part[]): JsonObject {
  return mergeDocuments(BASE, [FIRST, ...parts, LAST]);
}

/** A service's part. The security of a path comes from the route table, not from the service's document. */
export function toServicePart(name: UpstreamName, document: unknown, routes: RouteTable): Part {
  const accessTo = (path: string): Security => routes.prefixOf(name, path)?.access ?? 'credentials';
  return {
    name,
    document,
    accepts: (path) => routes.prefixOf(name, path) !== undefined,
    security: (path) => REQUIREMENTS[accessTo(path)],
    responses: (path) => RESPONSES[accessTo(path)],
  };
}
