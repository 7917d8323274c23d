import type { Security } from '@agent-fleet/shared/contract/operation';
import type { Request } from 'express';

/**
 * The services behind the gateway. `url` is where a service runs in development: `<NAME>_URL`, such as `AGENTS_URL`,
 * replaces it. `responseTimeoutMs` is how long it may take to start a response, unless the operation may wait.
 */
export const UPSTREAMS = {
  identity: { url: 'http://127.0.0.1:8083', responseTimeoutMs: 30_000 },
  agents: { url: 'http://127.0.0.1:8081', responseTimeoutMs: 30_000 },
  registry: { url: 'http://127.0.0.1:8082', responseTimeoutMs: 15_000 },
} satisfies Record<string, { url: string; responseTimeoutMs: number }>;

export type UpstreamName = keyof typeof UPSTREAMS;

export const UPSTREAM_NAMES = Object.keys(UPSTREAMS) as UpstreamName[];

/** Paths of a service, and who may call them: the service's own document cannot make them public. */
export interface UpstreamRoute {
  /** Matches the path itself and all paths below it; with a trailing `/` only the paths below it. */
  prefix: string;
  upstream: UpstreamName;
  access: Exclude<Security, 'bearer'>;
  /** Methods that are public although the path is not. */
  publicMethods?: readonly string[];
  /** Open to pages of any origin. */
  isOpen?: true;
}

export const UPSTREAM_ROUTES: readonly UpstreamRoute[] = [
  { prefix: '/token', upstream: 'identity', access: 'public' },
  { prefix: '/revoke', upstream: 'identity', access: 'public' },
  { prefix: '/session', upstream: 'identity', access: 'credentials', publicMethods: ['POST'] },
  { prefix: '/sessions', upstream: 'identity', access: 'credentials' },
  { prefix: '/users', upstream: 'identity', access: 'credentials' },
  { prefix: '/password-resets/', upstream: 'identity', access: 'public' },
  { prefix: '/api-keys', upstream: 'identity', access: 'credentials' },
  { prefix: '/audit-events', upstream: 'identity', access: 'credentials' },
  { prefix: '/agents', upstream: 'agents', access: 'credentials' },
  { prefix: '/tasks', upstream: 'agents', access: 'credentials' },
  { prefix: '/leases', upstream: 'agents', access: 'credentials' },
  { prefix: '/events', upstream: 'agents', access: 'credentials' },
  { prefix: '/stats', upstream: 'agents', access: 'credentials' },
  { prefix: '/workers', upstream: 'agents', access: 'credentials' },
  { prefix: '/bulk-actions', upstream: 'agents', access: 'credentials' },
  { prefix: '/api/', upstream: 'registry', access: 'public', isOpen: true },
  { prefix: '/registry.json', upstream: 'registry', access: 'public', isOpen: true },
  { prefix: '/.well-known/agent-skills/', upstream: 'registry', access: 'public', isOpen: true },
];

/** Whether a request is an attempt to sign in, or to guess a reset code: those have a limit of their own. */
export function isSignIn(template: string | undefined, method: string): boolean {
  return template !== undefined && SIGN_INS.get(method)?.test(template) === true;
}

/** Templates by method, also those with `*` that routes have before the document of identity is known. */
const SIGN_INS = new Map([
  ['POST', /^\/(?:token|session)\*?$/],
  ['PUT', /^\/password-resets\/[^/]+$/],
]);

/**
 * Whether a request only asks who is signed in, if anybody (`GET /session?optional=true`). Without a valid credential
 * it is forwarded without a principal.
 */
export function isSessionCheck({ method, path, query }: Pick<Request, 'method' | 'path' | 'query'>): boolean {
  return (method === 'GET' || method === 'HEAD') && path === '/session' && query.optional === 'true';
}

/** How long a service may take to start its response. */
export interface Deadline {
  responseTimeoutMs: number;
  /** Methods that may wait before they respond: their deadline is `UPSTREAM_TIMEOUT_SECONDS`. */
  waiting: readonly string[];
}

/** Waiting methods by template. `HEAD` behaves like `GET`. */
const WAITING_METHODS: Record<string, readonly string[]> = {
  '/leases': ['POST'],
  '/agents/{agent_id}/leases': ['POST'],
  '/agents/{agent_id}/tasks/{task_id}': ['GET', 'HEAD'],
  '/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/tasks/{task_id}/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/tasks/{task_id}/log-entries': ['GET', 'HEAD'],
};

export function deadlineFor(upstream: UpstreamName, template: string): Deadline {
  return { responseTimeoutMs: UPSTREAMS[upstream].responseTimeoutMs, waiting: WAITING_METHODS[template] ?? [] };
}
