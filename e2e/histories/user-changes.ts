import type { Role } from '@agent-fleet/shared/contract/scopes';
import type { User } from '../harness/accounts.ts';
import { type ModelUser, Valid } from './credentials.ts';
import type { Model } from './model.ts';

const MAX_USERS = 3;
export const ROLE_CHOICES: readonly Role[] = ['viewer', 'worker', 'operator'];

export async function createUser(model: Model): Promise<boolean> {
  if (model.users.length >= MAX_USERS) return false;
  const role = model.random.pick(ROLE_CHOICES) as Role;
  for (;;) {
    const body = { email: `${crypto.randomUUID()}@e2e.example`, role, password: `pass ${crypto.randomUUID()}` };
    const made = await model.change('POST', '/users', { body });
    // 409: the answer to an earlier attempt was lost. That user takes no part.
    if (made.response.status === 409 && made.attempts > 1) continue;
    if (!model.expect(made, 201, 'user.created')) return false;
    const { id } = made.response.json as User;
    model.users.push({ id, ...body, roleIs: new Valid(), isDisabled: false, sessions: 0 });
    return true;
  }
}

export async function changeRole(model: Model): Promise<boolean> {
  const user = model.random.pick(model.enabled());
  const role = model.random.pick(ROLE_CHOICES.filter((one) => one !== user?.role));
  if (!user || !role) return false;
  user.roleIs.set('changing');
  const made = await model.change('PUT', `/users/${user.id}`, { body: { role, disabled: false } });
  user.role = role;
  user.roleIs.set('good');
  return model.expect(made, 200, 'user.changed', made.attempts === 1);
}

export async function disable(model: Model): Promise<boolean> {
  const user = model.random.pick(model.enabled());
  if (!user) return false;
  user.isDisabled = true;
  model.endFamilies(user);
  const body = { role: user.role, disabled: true };
  const put = () => model.change('PUT', `/users/${user.id}`, { body });
  return model.take(model.heldBy(user), 'user.changed', put, [200]);
}

export async function enable(model: Model): Promise<boolean> {
  const user = model.random.pick(model.users.filter(({ isDisabled }) => isDisabled));
  if (!user) return false;
  const keys = model.heldBy(user).filter(({ kind, isGone }) => kind === 'key' && !isGone);
  for (const { valid } of keys) valid.set('changing');
  const made = await model.change('PUT', `/users/${user.id}`, { body: { role: user.role, disabled: false } });
  user.isDisabled = false;
  for (const { valid } of keys) valid.set('good');
  return model.expect(made, 200, 'user.changed', made.attempts === 1);
}

/** With a token, whose session stays. */
export async function changePassword(model: Model): Promise<boolean> {
  const held = model.random.pick(model.good('token').filter(({ user }) => user && !user.isDisabled));
  const { user, family, as } = held ?? {};
  if (!held || !user) return false;
  for (const other of model.families) if (other.user === user && other !== family) other.hasEnded = true;
  const affected = model
    .heldBy(user)
    .filter((other) => other.kind !== 'key' && other !== held && (!family || other.family !== family));
  const new_password = `pass ${crypto.randomUUID()}`;
  const body = { current_password: user.password, new_password };
  const put = async () => {
    const made = await model.change('PUT', '/users/me/password', { as, body });
    // 403: an earlier attempt has changed it.
    if (made.response.status === 204 || (made.response.status === 403 && made.attempts > 1))
      user.password = new_password;
    return made;
  };
  return model.take(affected, 'user.password_changed', put, [204, 403]);
}

export async function reset(model: Model): Promise<boolean> {
  const user = model.random.pick(model.enabled());
  if (!user) return false;
  const made = await model.change('POST', `/users/${user.id}/password-resets`);
  if (!model.expect(made, 201, 'user.password_reset_created')) return false;
  const { code } = made.response.json as { code: string };
  const new_password = `pass ${crypto.randomUUID()}`;
  const use = () => model.change('PUT', `/password-resets/${code}`, { as: 'nobody', body: { new_password } });
  model.endFamilies(user);
  user.password = new_password;
  const affected = model.heldBy(user).filter(({ kind }) => kind !== 'key');
  return model.take(affected, 'user.password_reset', use, [204, 404]);
}

export async function deleteUser(model: Model, user: ModelUser | undefined): Promise<boolean> {
  if (!user) return false;
  model.users.splice(model.users.indexOf(user), 1);
  model.endFamilies(user);
  return model.take(model.heldBy(user), 'user.deleted', () => model.change('DELETE', `/users/${user.id}`), [204, 404]);
}
