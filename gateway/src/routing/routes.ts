import type { Security } from '@agent-fleet/shared/contract/operation';

export type UpstreamName = 'agents' | 'registry';

/** Paths that a service answers, and who may call them: a service's own document cannot make them public. */
export interface UpstreamRoute {
  /** Stands for itself and what is below; with `/` at its end only for what is below. */
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

/** How long a service may take to begin its answer. */
export interface Deadline {
  answerWithinMs: number;
  /** Methods that hold their answer back when they are asked to wait: they have `UPSTREAM_TIMEOUT_SECONDS`. */
  waiting: readonly string[];
}

const ANSWER_WITHIN_MS: Record<UpstreamName, number> = { agents: 30_000, registry: 15_000 };

/** By template. `HEAD` answers like `GET`. */
const WAITING_METHODS: Record<string, readonly string[]> = {
  '/leases': ['POST'],
  '/agents/{agent_id}/leases': ['POST'],
  '/agents/{agent_id}/tasks/{task_id}': ['GET', 'HEAD'],
  '/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/events': ['GET', 'HEAD'],
  '/agents/{agent_id}/tasks/{task_id}/events': ['GET', 'HEAD'],
};

export function deadlineFor(upstream: UpstreamName, template: string): Deadline {
  return { answerWithinMs: ANSWER_WITHIN_MS[upstream], waiting: WAITING_METHODS[template] ?? [] };
}
