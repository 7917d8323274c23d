import { createDocument } from '@agent-fleet/shared/contract/openapi';
import type { Security } from '@agent-fleet/shared/contract/operation';
import type { Logger } from '@agent-fleet/shared/logger';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import type { GatewayConfig } from '../config.ts';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS, TAGS } from '../contract.ts';
import type { RouteTable } from '../routing/route-table.ts';
import { UPSTREAM_NAMES, type UpstreamName } from '../routing/routes.ts';
import { type DocumentSource, Documents } from './documents.ts';
import { gatewayResponses } from './gateway-responses.ts';
import type { SecurityRequirement } from './part.ts';

const INFO = {
  title: 'Agent Fleet API',
  version: '1.0.0',
  description:
    'Agents, their tasks, and a registry of skills for them. Get a token from `POST /token` and send it as `Authorization: Bearer …`, ' +
    'or send an API key as `X-API-Key`; the registry is public.',
};

const REQUIREMENTS: Record<Security, SecurityRequirement[]> = {
  public: [],
  credentials: SCHEMES.map(({ name }) => ({ [name]: [] })),
  bearer: [{ bearer: [] }],
};

/** Combines the documents of gateway and services, and updates the route table with each service's paths. */
export function combineServiceDocuments(
  config: GatewayConfig,
  routes: RouteTable,
  logger: Logger,
  refreshMs?: number,
): Documents {
  const authentication = createDocument(INFO.title, TAGS, AUTHENTICATION_OPERATIONS);
  const gateway = createDocument(INFO.title, TAGS, GATEWAY_OPERATIONS);
  return new Documents({
    base: {
      info: INFO,
      servers: [{ url: '/' }],
      components: {
        securitySchemes: Object.fromEntries(SCHEMES.map((scheme) => [scheme.name, scheme.securityScheme])),
      },
    },
    first: { name: 'authentication', document: authentication, accepts: () => true },
    last: { name: 'gateway', document: gateway, accepts: () => true },
    sources: UPSTREAM_NAMES.map((name) => toSource(name, config.upstreams[name], routes)),
    internalToken: config.internalToken,
    logger,
    refreshMs,
    onPaths: (name, paths) => routes.setPaths(name as UpstreamName, paths),
  });
}

/** The security of a path comes from the route table, not from the service's document. */
function toSource(name: UpstreamName, url: string, routes: RouteTable): DocumentSource {
  const accessTo = (path: string): Security => routes.prefixOf(name, path)?.access ?? 'credentials';
  const responses = { public: gatewayResponses('public'), credentials: gatewayResponses('credentials'), bearer: {} };
  return {
    name,
    url,
    accepts: (path) => routes.prefixOf(name, path) !== undefined,
    security: (path) => REQUIREMENTS[accessTo(path)],
    responses: (path) => responses[accessTo(path)],
  };
}
