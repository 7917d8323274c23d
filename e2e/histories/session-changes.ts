import { bearer, type TokenReply } from '../harness/accounts.ts';
import { type Family, type ModelUser, Valid } from './credentials.ts';
import type { Model } from './model.ts';
import { deleteUser } from './user-changes.ts';

/** The predecessor of a refresh token is good for 10 s. */
const REPEAT_MS = { surely: 8_500, noLonger: 10_500 };
const MAX_SESSIONS = 80;

export async function signIn(model: Model, scope: string): Promise<boolean> {
  const user = model.random.pick(model.enabled());
  if (!user) return false;
  if (user.sessions > MAX_SESSIONS) return deleteUser(model, user);
  const { email: username, password } = user;
  const made = await model.form('/token', { username, password, scope });
  if (scope !== '') user.sessions += made.attempts;
  if (!model.expect(made, 200, 'token.issued')) return false;
  const reply = made.response.json as TokenReply;
  const family = reply.refresh_token ? addFamily(model, user, reply.refresh_token) : undefined;
  model.hold({ kind: 'token', as: bearer(reply.access_token), valid: new Valid(), user, family, role: user.role });
  return true;
}

function addFamily(model: Model, user: ModelUser, current: string): Family {
  const family = { user, current, before: [], hasEnded: false };
  model.families.push(family);
  return family;
}

export async function openSession(model: Model): Promise<boolean> {
  const user = model.random.pick(model.enabled());
  if (!user) return false;
  const { email: username, password } = user;
  if (user.sessions > MAX_SESSIONS) return deleteUser(model, user);
  const made = await model.change('POST', '/session', { as: 'nobody', body: { username, password } });
  user.sessions += made.attempts;
  if (!model.expect(made, 204, 'session.created')) return false;
  const cookie = String(made.response.headers['set-cookie']?.[0]).split(';')[0] as string;
  model.hold({ kind: 'cookie', as: { cookie, 'sec-fetch-site': 'same-origin' }, valid: new Valid(), user });
  return true;
}

export async function refresh(model: Model): Promise<boolean> {
  const family = model.random.pick(model.families.filter(({ hasEnded }) => !hasEnded));
  if (!family) return false;
  const token = family.current;
  const made = await model.form('/token', { grant_type: 'refresh_token', refresh_token: token });
  // A lost answer to an earlier attempt has replaced it, longer ago than a repetition is good.
  const isLate = made.attempts > 1 && made.atMs - made.firstAtMs > REPEAT_MS.surely;
  if (made.response.status === 400 && isLate) {
    model.endFamily(family);
    return true;
  }
  if (!model.expect(made, 200, 'token.refreshed')) return false;
  const { access_token, refresh_token = '' } = made.response.json as TokenReply;
  family.before.push({ token, successor: refresh_token, fromMs: made.firstAtMs, toMs: made.atMs });
  family.current = refresh_token;
  const { user } = family;
  model.hold({ kind: 'token', as: bearer(access_token), valid: new Valid(), user, family, role: user.role });
  return true;
}

/** The predecessor of a refresh token: its successor again, or, when it is too old, the end of the family. */
export async function repeatRefresh(model: Model): Promise<boolean> {
  const family = model.random.pick(model.families.filter((one) => !one.hasEnded && one.before.length > 0));
  const replaced = family?.before.at(-1);
  if (!family || !replaced) return false;
  const tokens = model.tokensOf(family);
  for (const { valid } of tokens) valid.set('changing');
  const { token, successor, fromMs, toMs } = replaced;
  const made = await model.form('/token', { grant_type: 'refresh_token', refresh_token: token });
  const { status, json, text } = made.response;
  if (status === 200) {
    for (const { valid } of tokens) valid.set('good', Number.NEGATIVE_INFINITY);
    if (made.firstAtMs - toMs > REPEAT_MS.noLonger) model.violate('a refresh token is good long after its successor');
    if ((json as TokenReply).refresh_token !== successor) model.violate('a repeated refresh has another successor');
    return true;
  }
  if (status !== 400 || made.atMs - fromMs < REPEAT_MS.surely) model.violate(`a repeated refresh is ${status} ${text}`);
  model.endFamily(family);
  return true;
}

export async function reuseOld(model: Model): Promise<boolean> {
  const family = model.random.pick(model.families.filter((one) => !one.hasEnded && one.before.length > 1));
  const old = family?.before[model.random.below(family.before.length - 1)];
  if (!family || !old) return false;
  const reuse = () => model.form('/token', { grant_type: 'refresh_token', refresh_token: old.token });
  family.hasEnded = true;
  return model.take(model.tokensOf(family), 'session.family_revoked', reuse, [400]);
}

export async function revokeToken(model: Model): Promise<boolean> {
  const held = model.random.pick(model.good('token'));
  if (!held) return false;
  const token = String(held.as.authorization).slice('Bearer '.length);
  return model.take([held], 'token.revoked', () => model.form('/revoke', { token }), [200]);
}

export async function revokeFamily(model: Model): Promise<boolean> {
  const family = model.random.pick(model.families.filter(({ hasEnded }) => !hasEnded));
  if (!family) return false;
  family.hasEnded = true;
  const token = model.random.pick([family.current, ...family.before.map((one) => one.token)]) as string;
  return model.take(model.tokensOf(family), 'token.revoked', () => model.form('/revoke', { token }), [200]);
}

export async function signOut(model: Model): Promise<boolean> {
  const held = model.random.pick([...model.good('token'), ...model.good('cookie')]);
  if (!held) return false;
  const { family, as } = held;
  if (family) family.hasEnded = true;
  const affected = family ? model.tokensOf(family) : [held];
  // 401: an earlier attempt has ended it.
  return model.take(affected, 'session.ended', () => model.change('DELETE', '/session', { as }), [204, 401]);
}
