import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { Redis } from 'ioredis';
import { registryKeys } from '../src/keys.ts';
import { parseSources, sourcesKey } from '../src/upstream/source.ts';
import { opened } from './opened.ts';

/**
 * Waits until both jobs of a start are over: the one that asks at once, and the first of the schedule, a tenth of a
 * refresh later at most.
 */
export async function untilStartIsOver(prefix: string, source: string): Promise<void> {
  const redis = new Redis(testRedisUrl());
  opened.push(() => redis.disconnect());
  const key = `${registryKeys(prefix).queuePrefix}:refresh-${sourcesKey(parseSources(source))}:completed`;
  const isOver = (ids: string[]) => ids.length >= 2 && ids.some((id) => id.startsWith('repeat:'));
  await until(() => redis.zrange(key, 0, '-1'), { holds: isOver, timeoutMs: 40_000 });
}
