import { fleet } from '../../../api/fleet.ts';
import { replaceUnchanged } from '../../replace-unchanged.ts';
import type { User } from './user.ts';
import { inWords } from './user-errors.ts';

/**
 * Replaces role and state unless others have changed them since `original` was read. The ETag of a user changes
 * with each sign-in, too; that is no reason to refuse.
 * @throws FleetError, ChangedByOthersError
 */
export async function replaceUser(original: User, body: Pick<User, 'role' | 'disabled'>): Promise<void> {
  const path = { user_id: original.id };
  try {
    await replaceUnchanged<User>({
      what: 'user',
      read: () => fleet.get('/users/{user_id}', { params: { path } }),
      isUnchanged: ({ role, disabled }) => role === original.role && disabled === original.disabled,
      replace: (header) => fleet.put('/users/{user_id}', { params: { path, header }, body }),
    });
  } catch (error) {
    throw inWords(error);
  }
}
