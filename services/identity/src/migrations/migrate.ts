import { StartError } from '@agent-fleet/shared/process';
import type { IdentityContext } from '../redis/context.ts';
import type { UserStore } from '../users/user-store.ts';
import { moveUsers } from './move-users.ts';

const LAYOUT = 1;

/**
 * Brings the data of version 1.0, which has no layout, to the present one. It may be interrupted anywhere and run on
 * several replicas at once. @throws StartError when the layout is newer than this program
 */
export async function migrate(context: IdentityContext, users: UserStore, prefix: string): Promise<void> {
  const { redis, keys, logger, commit } = context;
  const layout = Number((await redis.get(keys.layout)) ?? 0);
  if (layout > LAYOUT) {
    throw new StartError(
      `The data in Redis has layout ${layout} (${keys.layout}), and this version knows layouts up to ${LAYOUT}: ` +
        'start the version that wrote it or a newer one, or restore a backup from before the upgrade',
    );
  }
  if (layout === LAYOUT) return;
  const moved = await moveUsers(context, users, prefix);
  await commit({ checks: [['value', keys.layout, null]], commands: [['SET', keys.layout, LAYOUT]] });
  if (moved > 0) logger.info({ users: moved }, 'migrated the users of version 1.0');
}
