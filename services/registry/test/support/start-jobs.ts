import { until } from '@agent-fleet/shared/testing/until';
import { registryKeys } from '../../src/keys.ts';
import { keyOfSources } from './open-registry.ts';
import { openRedis } from './opened.ts';

/**
 * Waits for both jobs of a start: the immediate refresh, and the first job of the schedule, which follows within a
 * tenth of the refresh interval.
 */
export async function untilStartIsOver(prefix: string, source: string): Promise<void> {
  const redis = openRedis();
  const key = `${registryKeys(prefix).queuePrefix}:refresh-${keyOfSources(source)}:completed`;
  const isOver = (ids: string[]) => ids.length >= 2 && ids.some((id) => id.startsWith('repeat:'));
  await until(() => redis.zrange(key, 0, '-1'), { holds: isOver, timeoutMs: 40_000 });
}
