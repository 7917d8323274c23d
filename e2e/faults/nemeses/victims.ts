import type { Random } from '../../histories/random.ts';
import type { Fleet } from '../machines/fleet.ts';
import type { Program } from '../machines/program.ts';
import type { RedisNode } from '../machines/redis-node.ts';

/** A replica of a service with more than one. */
export function pickService(fleet: Fleet, random: Random): Program {
  const { gateway, agents, identity } = fleet.services;
  return random.pick([...gateway, ...agents, ...identity]) as Program;
}

/** A Redis server: every second time the primary of the fleet's records. */
export async function pickRedis(fleet: Fleet, random: Random): Promise<{ node: RedisNode; name: string }> {
  const primary = await fleet.redis.primary();
  const others = fleet.redis.nodes.filter((node) => node !== primary);
  const isPrimary = random.next() < 0.5;
  const node = isPrimary ? primary : (random.pick(others) as RedisNode);
  return { node, name: `${node.machine.name}${isPrimary ? ' (primary)' : ''}` };
}
