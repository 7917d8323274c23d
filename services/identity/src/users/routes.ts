import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import { createUser, deleteUser, getOwnUser, getUser, listUsers, replaceUser } from './contract.ts';
import { createChangeOwnPassword } from './own-password.ts';
import { changeOwnPassword, createPasswordReset, usePasswordReset } from './password-contract.ts';
import { createPasswordResets } from './password-resets.ts';
import { createResetStore } from './reset-store.ts';
import { createUserChanges } from './user-changes.ts';
import { createUsers, type UserParts } from './users.ts';

/** The operations on users and their passwords. */
export function createUserRoutes(context: IdentityContext, parts: Omit<UserParts, 'resets'>): Binding[] {
  const all = { ...parts, resets: createResetStore(context) };
  const users = createUsers(context, all);
  const changes = createUserChanges(context, all);
  const resets = createPasswordResets(context, all);
  return [
    bind(listUsers, users.list),
    bind(createUser, users.create),
    bind(getUser, users.read),
    bind(replaceUser, changes.replace, users.requireUser),
    bind(deleteUser, changes.delete),
    bind(getOwnUser, users.readOwn),
    bind(changeOwnPassword, createChangeOwnPassword(context, all)),
    bind(createPasswordReset, resets.create),
    bind(usePasswordReset, resets.use, resets.requireCode),
  ];
}
