import type { Security } from '@agent-fleet/shared/contract/operation';

export type UpstreamName = 'agents' | 'registry';

/** Paths of a service, and who may call them: the service's own document cannot make them public. */
export interface UpstreamRoute {
  /** Matches the path itself and all paths below it; with a trailing `/` only the paths below it. */
  prefix: string;
  upstream: UpstreamName;
  access: Exclude<Security, 'bearer'>;
}

export const UPSTREAM_ROUTES: readonly UpstreamRoute[] = [
  { prefix: '/agents', upstream: 'agents', access: 'credentials' },
  { prefix: '/tasks', upstream: 'agents', access: 'credentials' },
  { prefix: '/leases', upstream: 'agents', access: 'credentials' },
  { prefix: '/events', upstream: 'agents', access: 'credentials' },
  { prefix: '/api/', upstream: 'registry', access: 'public' },
  { prefix: '/registry.json', upstream: 'registry', access: 'public' },
  { prefix: '/.well-known/agent-skills/', upstream: 'registry', access: 'public' },
];

/** How long a service may take to start its response. */
export interface Deadline {
  responseTimeoutMs: number;
  /** Methods that may wait before they respond: their deadline is `UPSTREAM_TIMEOUT_SECONDS`. */
  waiting: readonly string[];
}

const RESPONSE_TIMEOUT_MS: Record<UpstreamName, number> = { agents: 30_000, registry: 15_000 };

/** Waiting methods by template. `HEAD` behaves like `GET`. */
const WAITING_METHODS: Record<string, readonly string[]> = {
  '/leases': ['POST'],
  '/agents/{agent_id}/leases': ['POST'],
  '/agents/{agent_id}/tasks/{task_id}': ['GET', 'HEAD'],
  '/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/tasks/{task_id}/events': ['GET', 'HEAD'],
};

export function deadlineFor(upstream: UpstreamName, template: string): Deadline {
  return { responseTimeoutMs: RESPONSE_TIMEOUT_MS[upstream], waiting: WAITING_METHODS[template] ?? [] };
}
