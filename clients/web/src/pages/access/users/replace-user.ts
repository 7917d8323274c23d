import { FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';
import type { User } from './user.ts';
import { inWords } from './user-errors.ts';

const MAX_TRIES = 5;

/** Role or state are no longer what the change began with. */
export class UserChangedError extends Error {
  readonly current: User;

  constructor(current: User) {
    super('Not saved: the user has changed since you opened it.');
    this.current = current;
  }
}

/**
 * Replaces role and state unless others have changed them since `original` was read. The ETag of a user changes
 * with each sign-in, too; that is no reason to refuse.
 * @throws FleetError, UserChangedError
 */
export async function replaceUser(original: User, body: Pick<User, 'role' | 'disabled'>): Promise<void> {
  const path = { user_id: original.id };
  for (let tries = 1; ; tries += 1) {
    const { data, response } = await fleet.get('/users/{user_id}', { params: { path } });
    if (data.role !== original.role || data.disabled !== original.disabled) throw new UserChangedError(data);
    const header = { 'If-Match': response.headers.get('etag') ?? '*' };
    try {
      await fleet.put('/users/{user_id}', { params: { path, header }, body });
      return;
    } catch (error) {
      const isStale = error instanceof FleetError && error.status === 412;
      if (!isStale || tries === MAX_TRIES) throw inWords(error);
    }
  }
}
