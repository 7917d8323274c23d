import type { Security } from '@agent-fleet/shared/contract';

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
];
