import type { LocalFleetOptions } from '../../harness/local-fleet.ts';
import { buildWebRoot } from './web-root.ts';

/** Options of a fleet whose gateway serves the pages, unless it has others. */
export async function withPages({ env, ...options }: LocalFleetOptions = {}): Promise<LocalFleetOptions> {
  const WEB_ROOT = env?.gateway?.WEB_ROOT ?? (await buildWebRoot('--development'));
  return { ...options, env: { ...env, gateway: { ...env?.gateway, WEB_ROOT } } };
}
