import { until } from '@agent-fleet/shared/testing/until';
import { registryKeys } from '../../src/keys.ts';
import { keyOfSources } from './open-registry.ts';
import { openRedis } from './opened.ts';

/** Waits until both jobs of a start have ended: the immediate refresh, and the first one of the schedule. */
export async function untilStartIsOver(prefix: string, source: string): Promise<void> {
  const redis = openRedis();
  const queue = `${registryKeys(prefix, '').queuePrefix}:refresh-${keyOfSources(source)}`;
  const isOver = async () => {
    const scheduled = await redis.keys(`${queue}:de:refresh-*`);
    const unfinished = await Promise.all(['wait', 'active'].map((list) => redis.llen(`${queue}:${list}`)));
    return scheduled.length > 0 && unfinished.every((length) => length === 0);
  };
  await until(isOver, { message: 'the jobs of the start have ended' });
}
