import type { JsonObject } from '@agent-fleet/shared/contract/json-object';
import { createDocument } from '@agent-fleet/shared/contract/openapi';
import type { Security } from '@agent-fleet/shared/contract/operation';
import { REQUIRED_SCOPE, SECURITY_SCHEMES, toSecurity } from '@agent-fleet/shared/contract/security-schemes';
import type { Scope } from '@agent-fleet/shared/identity/scopes';
import { AUTHENTICATION_OPERATIONS, GATEWAY_OPERATIONS, TAGS } from '../contract.ts';
import type { RouteTable } from '../routing/route-table.ts';
import type { UpstreamName } from '../routing/routes.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { mergeDocuments } from './merge.ts';
import type { Part } from './part.ts';
import { MergeError } from './references.ts';

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
  components: { securitySchemes: SECURITY_SCHEMES },
};

const AUTHENTICATION = createDocument(INFO.title, TAGS, AUTHENTICATION_OPERATIONS);
const GATEWAY = createDocument(INFO.title, TAGS, GATEWAY_OPERATIONS);
const FIRST: Part = { name: 'authentication', document: AUTHENTICATION, accepts: () => true };
const LAST: Part = { name: 'gateway', document: GATEWAY, accepts: () => true };

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
  const accessTo = (path: string, method: string): Security => {
    const { access = 'credentials', publicMethods } = routes.prefixOf(name, path) ?? {};
    return publicMethods?.includes(method.toUpperCase()) ? 'public' : access;
  };
  return {
    name,
    document,
    accepts: (path) => routes.prefixOf(name, path) !== undefined,
    security(path, method, operation) {
      const access = accessTo(path, method);
      if (access !== 'public' && !Object.hasOwn(operation, REQUIRED_SCOPE)) {
        throw new MergeError(`${name}: ${method} ${path} declares no scope`);
      }
      return toSecurity(access, (operation[REQUIRED_SCOPE] ?? null) as Scope | null);
    },
    responses: (path, method) => RESPONSES[accessTo(path, method)],
  };
}
