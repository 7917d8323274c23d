import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { Keys } from './keys.ts';

/** A script of `scripts/`: `args` are its named arguments, packed as JSON, `texts` the long ones as they are. */
export type FleetScript = (args: unknown, ...texts: (string | number)[]) => Promise<unknown[]>;

/** Loads a script of the fleet. Its header says what it takes and returns. */
export function loadFleetScript(redis: RedisClient, keys: Keys, name: string): FleetScript {
  const script = loadScript(redis, new URL(`../scripts/${name}-1.lua`, import.meta.url));
  return async (args, ...texts) => (await script([keys.prefix], [JSON.stringify(args), ...texts])) as unknown[];
}
