import type { Operation, Security } from '@agent-fleet/shared/contract/operation';
import { createPathMatcher, type MatchPath } from '@agent-fleet/shared/contract/path-templates';
import { notFound } from '@agent-fleet/shared/http/errors';
import type { Scope } from '@agent-fleet/shared/identity/scopes';
import type { RequestHandler } from 'express';
import { type AllowedMethods, toAllowedMethods } from './allowed-methods.ts';
import { type Deadline, deadlineFor, type UpstreamName, type UpstreamRoute } from './routes.ts';

/** The route of a request. One object per template, so that a match allocates nothing. */
export interface Route {
  /** As in the OpenAPI document; a prefix and `*` until the service's document has been fetched. */
  template: string;
  access: Security;
  /** In upper case; public although the path is not. */
  publicMethods?: readonly string[];
  /** The scopes that methods require, in upper case. Undefined until the service's document has been fetched. */
  scopes?: ReadonlyMap<string, Scope>;
  isOpen?: true;
  /** Undefined for the gateway's own paths. */
  upstream?: UpstreamName;
  /** Undefined until the service's document has been fetched: the service then decides. */
  methods?: AllowedMethods;
  /** In upper case. Undefined until the service's document has been fetched: every body is forwarded. */
  methodsWithBody?: ReadonlySet<string>;
  /** Undefined until the service's document has been fetched: the operation may be one that waits. */
  deadline?: Deadline;
}

/** A path of a document, and its methods. */
export interface PathMethods {
  template: string;
  /** As in OpenAPI, `get`, `post`, …, in the order of the document. */
  methods: readonly string[];
  /** Those whose operation has a request body. */
  methodsWithBody: readonly string[];
  /** The scopes that methods require, without those that need none. */
  scopes: ReadonlyMap<string, Scope>;
}

/** Whether a request needs no credentials, and those that it has are not looked at. */
export function isPublic(route: Route | undefined, method: string): boolean {
  return route?.access === 'public' || route?.publicMethods?.includes(method) === true;
}

export type RouteTable = ReturnType<typeof createRouteTable>;

/** A path of the gateway itself: a path, or with `/*` at its end all paths below one of a single segment. */
export type OwnPath = Pick<Operation, 'path' | 'security' | 'method'>;

const BELOW = '/*';

/** Matches own paths exactly or by prefix, services' operations by prefix, then by the templates of their documents. */
export function createRouteTable(own: readonly OwnPath[], upstreamRoutes: readonly UpstreamRoute[]) {
  const ownRoutes = toOwnRoutes(own);
  const byFirstSegment = new Map(upstreamRoutes.map((route) => [firstSegment(route.prefix), route]));
  const fallbacks = new Map(upstreamRoutes.map((route) => [route, toFallback(route)]));
  const documented = new Map<UpstreamName, MatchPath<Route>>();

  function prefixOf(path: string): UpstreamRoute | undefined {
    const route = byFirstSegment.get(firstSegment(path));
    return route && isUnder(route.prefix, path) ? route : undefined;
  }

  return {
    match(path: string): Route | undefined {
      const own = ownRoutes.get(path);
      if (own) return own;
      const route = prefixOf(path);
      if (!route) return path.includes('/', 1) ? ownRoutes.get(`/${firstSegment(path)}${BELOW}`) : undefined;
      const match = documented.get(route.upstream);
      if (match) return match(path);
      return path.endsWith('/') ? undefined : fallbacks.get(route);
    },
    /** The route with the prefix of a path; undefined for a path that does not belong to the service. */
    prefixOf(upstream: UpstreamName, path: string): UpstreamRoute | undefined {
      const route = prefixOf(path);
      return route?.upstream === upstream ? route : undefined;
    },
    /** Replaces a service's paths by those of its document. */
    setPaths(upstream: UpstreamName, paths: readonly PathMethods[]): void {
      const routes = paths.flatMap((path): [string, Route][] => {
        const route = prefixOf(path.template);
        return route ? [[path.template, toRoute(path, route)]] : [];
      });
      documented.set(upstream, createPathMatcher(routes));
    },
  };
}

/** Finds the route of a request by its path alone. @throws 404 `not_found`, with or without credentials */
export function findRoute(table: RouteTable): RequestHandler {
  return (req, res, next) => {
    const query = req.url.indexOf('?');
    const route = table.match(query < 0 ? req.url : req.url.slice(0, query));
    if (!route) throw notFound();
    res.locals.route = route;
    next();
  };
}

function toOwnRoutes(own: readonly OwnPath[]): Map<string, Route> {
  const byPath = Map.groupBy(own, ({ path }) => path);
  const routes = [...byPath].map(([path, operations]): [string, Route] => {
    const methods = toAllowedMethods(operations.map(({ method }) => method));
    const access = operations[0]?.security ?? 'credentials';
    return [path, { template: path, access, methods }];
  });
  return new Map(routes);
}

function toRoute({ template, methods, methodsWithBody, scopes }: PathMethods, route: UpstreamRoute): Route {
  const { upstream } = route;
  return {
    template,
    ...toAccess(route),
    upstream,
    scopes: toScopes(scopes),
    methods: toAllowedMethods(methods),
    methodsWithBody: new Set(methodsWithBody.map((method) => method.toUpperCase())),
    deadline: deadlineFor(upstream, template),
  };
}

function toAccess({ access, publicMethods, isOpen }: UpstreamRoute) {
  return { access, ...(publicMethods && { publicMethods }), ...(isOpen && { isOpen }) };
}

/** `HEAD` needs what `GET` needs. */
function toScopes(scopes: ReadonlyMap<string, Scope>): ReadonlyMap<string, Scope> {
  const byMethod = new Map([...scopes].map(([method, scope]) => [method.toUpperCase(), scope]));
  const ofGet = byMethod.get('GET');
  if (ofGet) byMethod.set('HEAD', ofGet);
  return byMethod;
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1);
  return slash < 0 ? path.slice(1) : path.slice(1, slash);
}

function isUnder(prefix: string, path: string): boolean {
  if (prefix.endsWith('/')) return path.length > prefix.length && path.startsWith(prefix);
  return path === prefix || path.startsWith(`${prefix}/`);
}

function toFallback(route: UpstreamRoute): Route {
  return { template: `${route.prefix}*`, ...toAccess(route), upstream: route.upstream };
}
