import { loadScript } from '@agent-fleet/shared/redis/script';
import type { FleetContext } from './fleet-context.ts';

/** A script of `scripts/`: `args` are its named arguments, packed as JSON, `texts` the long ones as they are. */
export type FleetScript = (args: unknown, ...texts: (string | number)[]) => Promise<unknown[]>;

/** Loads a script of the fleet. Its header says what it takes and returns. */
export function loadFleetScript({ redis, keys }: Pick<FleetContext, 'redis' | 'keys'>, name: string): FleetScript {
  const script = loadScript(redis, new URL(`../scripts/${name}-1.lua`, import.meta.url));
  return async (args, ...texts) => (await script([keys.prefix], [JSON.stringify(args), ...texts])) as unknown[];
}
