import { loadScript } from '@agent-fleet/shared/redis/script';
import type { FleetContext } from './fleet-context.ts';

/** A script: `args` are its named arguments, packed as JSON, `texts` the long ones as they are. */
export type FleetScript = (args: unknown, ...texts: (string | number)[]) => Promise<unknown[]>;

export type ScriptContext = Pick<FleetContext, 'redis' | 'writes' | 'keys'>;

const INCLUDES = new URL('../includes/', import.meta.url);

/** Loads a script of the fleet, by its path in `src`. Its header says what it takes and returns. */
export function loadFleetScript(store: ScriptContext, path: string): FleetScript {
  const script = loadScript(store, new URL(`../${path}-1.lua`, import.meta.url), INCLUDES);
  return async (args, ...texts) => (await script([store.keys.prefix], [JSON.stringify(args), ...texts])) as unknown[];
}
