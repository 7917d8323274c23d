import { StartError } from '@agent-fleet/shared/process';
import type { IdentityContext } from '../redis/context.ts';

/** The layout of the data. A change of it needs a step here that brings older data to it, on replicas at once. */
const LAYOUT = 1;

/** Names the layout of new data. @throws StartError when that of the data is newer than this program */
export async function migrate({
  redis,
  writes,
  keys,
}: Pick<IdentityContext, 'redis' | 'writes' | 'keys'>): Promise<void> {
  const layout = Number((await redis.get(keys.layout)) ?? 0);
  if (layout > LAYOUT) {
    throw new StartError(
      `The data in Redis has layout ${layout} (${keys.layout}), and this version knows layouts up to ${LAYOUT}: ` +
        'start the version that wrote it or a newer one, or restore a backup from before the upgrade',
    );
  }
  if (layout < LAYOUT) await writes.run((client) => client.set(keys.layout, LAYOUT, 'NX'));
}
