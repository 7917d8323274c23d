import { readHealth, readReadiness } from './contract.ts';

/** Load balancers check several times a second. */
const PROBES = new Set<string>([readHealth.path, readReadiness.path]);

/** Whether a route is `/health` or `/ready`. */
export function isProbe(route: { template: string } | undefined): boolean {
  return route !== undefined && PROBES.has(route.template);
}
