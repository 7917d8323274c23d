import type { Role } from '@agent-fleet/shared/contract/scopes';
import { apiKey, type NewApiKey } from '../harness/accounts.ts';
import { Valid } from './credentials.ts';
import type { Model } from './model.ts';
import { ROLE_CHOICES } from './user-changes.ts';

/** Of keys that belong to no user: those of all histories have one owner, who may have 100. */
const MAX_KEYS = 10;

/** Half of the keys belong to a user, the others to nobody. */
export async function createKey(model: Model): Promise<boolean> {
  const role = model.random.pick(ROLE_CHOICES) as Role;
  const maker = model.random.next() < 0.5 ? model.random.pick(model.good('token')) : undefined;
  const isAllowed = maker
    ? maker.user?.role === role && maker.user.roleIs.state === 'good'
    : model.good('key').filter(({ user }) => !user).length < MAX_KEYS;
  if (!isAllowed) return false;
  const as = maker?.as ?? 'key';
  const name = crypto.randomUUID();
  const made = await model.change('POST', '/api-keys', { as, body: { name, role } });
  if (made.attempts > 1) await deleteKeysNamed(model, name, (made.response.json as NewApiKey).id);
  // Gateways may not know the role yet.
  if (made.response.status === 403 && maker) return false;
  if (!model.expect(made, 201, 'key.created')) return false;
  const { id, key } = made.response.json as NewApiKey;
  model.hold({ kind: 'key', as: apiKey(key), valid: new Valid(), user: maker?.user, keyId: id, role });
  return true;
}

/** Those whose answer was lost. */
async function deleteKeysNamed(model: Model, name: string, kept: string): Promise<void> {
  const { response } = await model.change('GET', '/api-keys?limit=1000');
  const lost = (response.json as NewApiKey[]).filter((key) => key.name === name && key.id !== kept);
  for (const { id } of lost) await model.change('DELETE', `/api-keys/${id}`);
}

export async function rotate(model: Model, grace_seconds: number): Promise<boolean> {
  const held = model.random.pick(model.good('key'));
  if (!held) return false;
  const { keyId, user, role } = held;
  const texts = model.textsOf(held);
  if (texts.length > 5 && grace_seconds > 0) return false;
  if (grace_seconds === 0) for (const { valid } of texts) valid.set('changing');
  const path = `/api-keys/${keyId}/rotations`;
  const made = await model.change('POST', path, { body: { grace_seconds } });
  if (!model.expect(made, 201, 'key.rotated')) return false;
  if (grace_seconds === 0) {
    for (const text of texts) text.isGone = true;
    model.end(texts);
  }
  const as = apiKey((made.response.json as NewApiKey).key);
  model.hold({ kind: 'key', as, valid: new Valid(), user, keyId, role });
  return true;
}

export async function deleteKey(model: Model): Promise<boolean> {
  const held = model.random.pick(model.good('key'));
  if (!held) return false;
  const texts = model.textsOf(held);
  for (const text of texts) text.isGone = true;
  return model.take(texts, 'key.deleted', () => model.change('DELETE', `/api-keys/${held.keyId}`), [204, 404]);
}
