import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Operation, Security } from '@agent-fleet/shared/contract/operation';
import { notFound } from '@agent-fleet/shared/http/errors';
import type { Request, RequestHandler } from 'express';

declare global {
  namespace Express {
    interface Locals {
      route?: Route;
    }
  }
}

/**
 * The services behind the gateway. `url` is where a service runs in development: `<NAME>_URL`, such as `AGENTS_URL`,
 * replaces it. `responseTimeoutMs` is how long it may take to start a response, unless the request waits.
 */
export const UPSTREAMS = {
  identity: { url: 'http://127.0.0.1:8083', responseTimeoutMs: 30_000 },
  agents: { url: 'http://127.0.0.1:8081', responseTimeoutMs: 30_000 },
  registry: { url: 'http://127.0.0.1:8082', responseTimeoutMs: 15_000 },
} satisfies Record<string, { url: string; responseTimeoutMs: number }>;

export type UpstreamName = keyof typeof UPSTREAMS;

export const UPSTREAM_NAMES = Object.keys(UPSTREAMS) as UpstreamName[];

/** What the gateway has to know of the paths of a service; methods, scopes and the rest are up to the service. */
interface ServicePaths {
  /** Matches the path itself and all paths below it; with a trailing `/` only the paths below it. */
  prefix: string;
  upstream: UpstreamName;
  access: Exclude<Security, 'bearer'>;
  /** Methods that are public at the path itself, although the paths are not. */
  publicMethods?: readonly string[];
  /**
   * The method of attempts to sign in at the path itself, or to guess a reset code below one with a trailing `/`: those
   * have a limit of their own.
   */
  signInMethod?: string;
  /** Some requests wait: those for leases, and those with `wait` or for event streams. */
  mayWait?: true;
  /** Open to pages of any origin. */
  isOpen?: true;
}

export const SERVICE_PATHS: readonly ServicePaths[] = [
  { prefix: '/token', upstream: 'identity', access: 'public', signInMethod: 'POST' },
  { prefix: '/revoke', upstream: 'identity', access: 'public' },
  { prefix: '/session', upstream: 'identity', access: 'credentials', publicMethods: ['POST'], signInMethod: 'POST' },
  { prefix: '/sessions', upstream: 'identity', access: 'credentials' },
  { prefix: '/users', upstream: 'identity', access: 'credentials' },
  { prefix: '/password-resets/', upstream: 'identity', access: 'public', signInMethod: 'PUT' },
  { prefix: '/api-keys', upstream: 'identity', access: 'credentials' },
  { prefix: '/audit-events', upstream: 'identity', access: 'credentials' },
  { prefix: '/agents', upstream: 'agents', access: 'credentials', mayWait: true },
  { prefix: '/agent-checks', upstream: 'agents', access: 'credentials' },
  { prefix: '/tasks', upstream: 'agents', access: 'credentials' },
  { prefix: '/task-batches', upstream: 'agents', access: 'credentials' },
  { prefix: '/input-requests', upstream: 'agents', access: 'credentials' },
  { prefix: '/leases', upstream: 'agents', access: 'credentials', mayWait: true },
  { prefix: '/events', upstream: 'agents', access: 'credentials', mayWait: true },
  { prefix: '/stats', upstream: 'agents', access: 'credentials' },
  { prefix: '/workers', upstream: 'agents', access: 'credentials' },
  { prefix: '/budgets', upstream: 'agents', access: 'credentials' },
  { prefix: '/bulk-actions', upstream: 'agents', access: 'credentials' },
  { prefix: '/api/', upstream: 'registry', access: 'public', isOpen: true },
  { prefix: '/registry.json', upstream: 'registry', access: 'public', isOpen: true },
  { prefix: '/.well-known/agent-skills/', upstream: 'registry', access: 'public', isOpen: true },
];

/** A path of the gateway itself, or with `/*` or a parameter at its end all paths below one of a single segment. */
export interface OwnPath extends Pick<Operation, 'path' | 'security'> {
  /** Load balancers check it several times a second: it has no rate limit, and is logged when it fails. */
  isProbe?: true;
}

/** The route of a request, by its path alone. One object per path or prefix, so that a match allocates nothing. */
export interface Route extends Partial<Omit<ServicePaths, 'prefix' | 'access'>> {
  /**
   * For logs and metrics: the path, or the prefix of a service and `*`, unless the service names the path template. A
   * path that has no route has no template.
   */
  template?: string;
  access: Security;
  isProbe?: true;
}

/** The routes of a prefix: of the path itself, if it has one, and of all paths below it. */
interface PrefixRoutes {
  prefix: string;
  at?: Route;
  below: Route;
}

/** Passes the rate limit like a public path, then gets 404. */
const UNKNOWN: Route = { access: 'public' };

export type FindRoute = (path: string) => Route | undefined;

const BELOW = '/*';

/** Matches the gateway's own paths, and services' paths by prefix. */
export function createRouteTable(own: readonly OwnPath[]): FindRoute {
  const ownRoutes = new Map(
    own.map(({ path, security = 'credentials', isProbe }): [string, Route] => [
      path.replace(/\/\{\w+\}$/, BELOW),
      { template: path, access: security, ...(isProbe && { isProbe }) },
    ]),
  );
  const byFirstSegment = new Map(
    SERVICE_PATHS.map((paths): [string, PrefixRoutes] => [firstSegment(paths.prefix), toRoutes(paths)]),
  );
  return (path) => {
    const own = ownRoutes.get(path);
    if (own) return own;
    const segment = firstSegment(path);
    const routes = byFirstSegment.get(segment);
    if (routes) return routeUnder(routes, path);
    return path.includes('/', 1) ? ownRoutes.get(`/${segment}${BELOW}`) : undefined;
  };
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1);
  return slash < 0 ? path.slice(1) : path.slice(1, slash);
}

function toRoutes({ prefix, ...known }: ServicePaths): PrefixRoutes {
  const at = { template: `${prefix}*`, ...known };
  const { publicMethods, signInMethod, ...below } = at;
  return prefix.endsWith('/') ? { prefix, below: at } : { prefix, at, below };
}

function routeUnder({ prefix, at, below }: PrefixRoutes, path: string): Route | undefined {
  if (path === prefix) return at;
  return path.startsWith(at ? `${prefix}/` : prefix) ? below : undefined;
}

/** Finds the route of a request; `onOptions` handles `OPTIONS` of known paths. */
export function routeRequests(find: FindRoute, onOptions: RequestHandler): RequestHandler {
  return (req, res, next) => {
    const query = req.url.indexOf('?');
    const route = find(query < 0 ? req.url : req.url.slice(0, query));
    res.locals.route = route ?? UNKNOWN;
    if (route && req.method === 'OPTIONS') return onOptions(req, res, next);
    next();
  };
}

/** Runs after the rate limit. @throws 404 `not_found` for a path that has no route */
export const refuseUnknownPath: RequestHandler = (_req, res, next) => {
  if (res.locals.route === UNKNOWN) throw notFound();
  next();
};

/** Whether a request needs no credentials, and those that it has are not looked at. */
export function isPublic({ access, publicMethods }: Route, method: string): boolean {
  return access === 'public' || publicMethods?.includes(method) === true;
}

/**
 * Whether a request only asks who is signed in, if anybody (`GET /session?optional=true`). Without a valid credential
 * it is forwarded without a principal.
 */
export function isSessionCheck({ method, path, query }: Pick<Request, 'method' | 'path' | 'query'>): boolean {
  return (method === 'GET' || method === 'HEAD') && path === '/session' && query.optional === 'true';
}

const LEASES = /\/leases(?:\?|$)/;
const WAIT = /[?&]wait=(?!0(?:&|$))/;

/** Whether a request may be answered only after a while, when there is work, an end or an event. */
export function isWaiting(route: Route, { method, url = '', headers }: IncomingMessage): boolean {
  if (!route.mayWait) return false;
  if (method === 'POST') return LEASES.test(url);
  return (method === 'GET' || method === 'HEAD') && (acceptsEventStream(headers) || WAIT.test(url));
}

/** Server-Sent Events (HTML standard, section 9.2). A stream may last indefinitely and may be silent for long. */
export const EVENT_STREAM = 'text/event-stream';

/** Whether a client accepts an event stream. */
export function acceptsEventStream({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes(EVENT_STREAM) ?? false;
}

/** The path of a request for logs, metrics and traces, with low cardinality. */
export function templateOf({ pathTemplate, route }: Pick<Express.Locals, 'pathTemplate' | 'route'>) {
  return pathTemplate ?? route?.template;
}
