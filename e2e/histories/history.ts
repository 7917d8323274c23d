import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '@agent-fleet/shared/identity/scopes';
import { apiKey, bearer, type NewApiKey, type TokenReply, type User } from '../harness/accounts.ts';
import type { CallOptions } from '../harness/http-client.ts';
import { type Family, type Held, type ModelUser, mayWrite, Valid } from './credentials.ts';
import type { Acknowledged, Gateways } from './gateways.ts';
import { Random } from './random.ts';

/** What was taken away is refused by every gateway after this time. */
const REFUSED_AFTER_MS = 3_000;
/** The predecessor of a refresh token is good for 10 s. */
const REPEAT_MS = { surely: 8_500, noLonger: 10_500 };
const MAX_USERS = 3;
const MAX_HELD = 60;
/** Of keys that belong to no user: those of all histories have one owner, who may have 100. */
const MAX_KEYS = 10;
const MAX_SESSIONS = 80;
const CHECKS = 4;
const PAUSE_MS = 15;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ROLE_CHOICES: readonly Role[] = ['viewer', 'worker', 'operator'];

const WEIGHTS = {
  createUser: 3,
  signIn: 10,
  signInOffline: 8,
  openSession: 6,
  createKey: 8,
  rotate: 4,
  rotateAtOnce: 4,
  deleteKey: 4,
  refresh: 12,
  repeatRefresh: 4,
  reuseOld: 3,
  revokeToken: 4,
  revokeFamily: 3,
  signOut: 4,
  changeRole: 5,
  disable: 2,
  enable: 6,
  changePassword: 2,
  reset: 2,
  deleteUser: 1,
};
type Action = keyof typeof WEIGHTS;

/** What all histories found. */
export class Findings {
  readonly violations: string[] = [];
  /** The action in the audit trail of each acknowledged request, by its request id. */
  readonly audited = new Map<string, string>();
  readonly counts = new Map<string, number>();
  /** The longest time in ms after an acknowledged revocation at which a request began that was accepted. */
  latestUseMs = 0;

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

/** A random history of users and their credentials, and a model of what each must be. */
export class History {
  readonly #random: Random;
  readonly #gateways: Gateways;
  readonly #findings: Findings;
  readonly #users: ModelUser[] = [];
  readonly #held: Held[] = [];
  readonly #families: Family[] = [];

  constructor(seed: number, gateways: Gateways, findings: Findings) {
    this.#random = new Random(seed);
    this.#gateways = gateways;
    this.#findings = findings;
  }

  async run(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      const action = this.#random.weighted(WEIGHTS);
      const [done] = await Promise.all([this.#act(action), this.#checkSome()]);
      if (done) this.#findings.count(action);
      await sleep(PAUSE_MS);
    }
    await sleep(REFUSED_AFTER_MS + 500);
    for (const held of this.#held) {
      for (let at = 0; at < this.#gateways.count; at++) await this.#check(held, at);
    }
  }

  /** False if there is nothing to do it to. */
  #act(action: Action): Promise<boolean> {
    return this.#ACTIONS[action]();
  }

  readonly #ACTIONS: Record<Action, () => Promise<boolean>> = {
    createUser: () => this.#createUser(),
    signIn: () => this.#signIn(''),
    signInOffline: () => this.#signIn('offline_access'),
    openSession: () => this.#openSession(),
    createKey: () => this.#createKey(),
    rotate: () => this.#rotate(3_600),
    rotateAtOnce: () => this.#rotate(0),
    deleteKey: () => this.#deleteKey(),
    refresh: () => this.#refresh(),
    repeatRefresh: () => this.#repeatRefresh(),
    reuseOld: () => this.#reuseOld(),
    revokeToken: () => this.#revokeToken(),
    revokeFamily: () => this.#revokeFamily(),
    signOut: () => this.#signOut(),
    changeRole: () => this.#changeRole(),
    disable: () => this.#disable(),
    enable: () => this.#enable(),
    changePassword: () => this.#changePassword(),
    reset: () => this.#reset(),
    deleteUser: () => this.#deleteUser(this.#random.pick(this.#users)),
  };

  // Checks

  async #checkSome(): Promise<void> {
    for (let count = 0; count < CHECKS; count++) {
      const held = this.#random.pick(this.#held);
      if (held) await this.#check(held, this.#random.below(this.#gateways.count));
    }
  }

  /** Sends a request that every role may send, or one that only some may. */
  async #check(held: Held, at: number): Promise<void> {
    const { valid, user } = held;
    const isWrite = this.#random.next() < 0.3;
    const before = { state: valid.state, version: valid.version, sinceMs: valid.sinceMs };
    const role = { state: user?.roleIs.state ?? 'good', version: user?.roleIs.version };
    const isRoleOld = performance.now() - (user?.roleIs.sinceMs ?? Number.NEGATIVE_INFINITY) > REFUSED_AFTER_MS;
    const expected = mayWrite(held) ? 415 : 403;
    // A text is no body of this operation: nothing is created.
    const { response, startedAtMs, wasDown } = isWrite
      ? await this.#gateways.send(at, 'POST', '/agents', {
          as: held.as,
          body: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      : await this.#gateways.send(at, 'GET', '/agents?limit=1', { as: held.as });
    if (!response) {
      if (!wasDown) this.#violate(`gateway ${at} broke a connection without having been killed`);
      return;
    }
    const { status, text } = response;
    const isRefused = status === 401 || text === '{"detail":"Invalid API key"}' || text.includes('same origin');
    if (before.state === 'ended' && before.version === valid.version && status < 500 && !isRefused) {
      const lateMs = startedAtMs - before.sinceMs;
      // Without Redis, what was verified within 30 s goes on.
      const isExcused = this.#gateways.isInOutageAfter(before.sinceMs, startedAtMs, REFUSED_AFTER_MS);
      if (!isExcused) this.#findings.latestUseMs = Math.max(this.#findings.latestUseMs, lateMs);
      if (!isExcused && lateMs > REFUSED_AFTER_MS) {
        this.#violate(`${held.kind} is accepted ${Math.round(lateMs)} ms after its end by gateway ${at}`);
      }
    }
    if (before.state === 'good' && before.version === valid.version) {
      const isSettled = startedAtMs - before.sinceMs > REFUSED_AFTER_MS;
      this.#findings.count('good checks');
      if (isRefused && isSettled) this.#violate(`a good ${held.kind} is refused: ${status} ${text}`);
      const isKnownRole = role.state === 'good' && role.version === user?.roleIs.version && isRoleOld;
      if (!isRefused && status < 500 && isWrite && isKnownRole && status !== expected) {
        this.#violate(`${held.kind} of ${user?.role}/${held.role}: ${status}, not ${expected}: ${text}`);
      }
      if (status !== 503 && (status > 500 || (!isWrite && !isRefused && status !== 200))) {
        this.#violate(`a good check is ${status} ${text}`);
      }
    } else if (before.state === 'ended') this.#findings.count('ended checks');
  }

  // Changes

  async #createUser(): Promise<boolean> {
    if (this.#users.length >= MAX_USERS) return false;
    const role = this.#random.pick(ROLE_CHOICES) as Role;
    for (;;) {
      const body = { email: `${crypto.randomUUID()}@e2e.example`, role, password: `pass ${crypto.randomUUID()}` };
      const made = await this.#change('POST', '/users', { body });
      // 409: the answer to an earlier attempt was lost. That user takes no part.
      if (made.response.status === 409 && made.attempts > 1) continue;
      if (!this.#expect(made, 201, 'user.created')) return false;
      const { id } = made.response.json as User;
      this.#users.push({ id, ...body, roleIs: new Valid(), isDisabled: false, sessions: 0 });
      return true;
    }
  }

  async #signIn(scope: string): Promise<boolean> {
    const user = this.#random.pick(this.#enabled());
    if (!user) return false;
    if (user.sessions > MAX_SESSIONS) return this.#deleteUser(user);
    const { email: username, password } = user;
    const made = await this.#form('/token', { username, password, scope });
    if (scope !== '') user.sessions += made.attempts;
    if (!this.#expect(made, 200, 'token.issued')) return false;
    const reply = made.response.json as TokenReply;
    const family = reply.refresh_token ? this.#addFamily(user, reply.refresh_token) : undefined;
    this.#hold({ kind: 'token', as: bearer(reply.access_token), valid: new Valid(), user, family, role: user.role });
    return true;
  }

  #addFamily(user: ModelUser, current: string): Family {
    const family = { user, current, before: [], hasEnded: false };
    this.#families.push(family);
    return family;
  }

  async #openSession(): Promise<boolean> {
    const user = this.#random.pick(this.#enabled());
    if (!user) return false;
    const { email: username, password } = user;
    if (user.sessions > MAX_SESSIONS) return this.#deleteUser(user);
    const made = await this.#change('POST', '/session', { as: 'nobody', body: { username, password } });
    user.sessions += made.attempts;
    if (!this.#expect(made, 204, 'session.created')) return false;
    const cookie = String(made.response.headers['set-cookie']?.[0]).split(';')[0] as string;
    this.#hold({ kind: 'cookie', as: { cookie, 'sec-fetch-site': 'same-origin' }, valid: new Valid(), user });
    return true;
  }

  /** Half of the keys belong to a user, the others to nobody. */
  async #createKey(): Promise<boolean> {
    const role = this.#random.pick(ROLE_CHOICES) as Role;
    const maker = this.#random.next() < 0.5 ? this.#random.pick(this.#good('token')) : undefined;
    const isAllowed = maker
      ? maker.user?.role === role && maker.user.roleIs.state === 'good'
      : this.#good('key').filter(({ user }) => !user).length < MAX_KEYS;
    if (!isAllowed) return false;
    const as = maker?.as ?? 'key';
    const name = crypto.randomUUID();
    const made = await this.#change('POST', '/api-keys', { as, body: { name, role } });
    if (made.attempts > 1) await this.#deleteKeysNamed(name, (made.response.json as NewApiKey).id);
    // Gateways may not know the role yet.
    if (made.response.status === 403 && maker) return false;
    if (!this.#expect(made, 201, 'key.created')) return false;
    const { id, key } = made.response.json as NewApiKey;
    this.#hold({ kind: 'key', as: apiKey(key), valid: new Valid(), user: maker?.user, keyId: id, role });
    return true;
  }

  /** Those whose answer was lost. */
  async #deleteKeysNamed(name: string, kept: string): Promise<void> {
    const { response } = await this.#change('GET', '/api-keys?limit=1000');
    const lost = (response.json as NewApiKey[]).filter((key) => key.name === name && key.id !== kept);
    for (const { id } of lost) await this.#change('DELETE', `/api-keys/${id}`);
  }

  async #rotate(grace_seconds: number): Promise<boolean> {
    const held = this.#random.pick(this.#good('key'));
    if (!held) return false;
    const { keyId, user, role } = held;
    const texts = this.#textsOf(held);
    if (texts.length > 5 && grace_seconds > 0) return false;
    if (grace_seconds === 0) for (const { valid } of texts) valid.set('changing');
    const path = `/api-keys/${keyId}/rotations`;
    const made = await this.#change('POST', path, { body: { grace_seconds } });
    if (!this.#expect(made, 201, 'key.rotated')) return false;
    if (grace_seconds === 0) {
      for (const text of texts) text.isGone = true;
      this.#end(texts);
    }
    const as = apiKey((made.response.json as NewApiKey).key);
    this.#hold({ kind: 'key', as, valid: new Valid(), user, keyId, role });
    return true;
  }

  async #deleteKey(): Promise<boolean> {
    const held = this.#random.pick(this.#good('key'));
    if (!held) return false;
    const texts = this.#textsOf(held);
    for (const text of texts) text.isGone = true;
    return this.#take(texts, 'key.deleted', () => this.#change('DELETE', `/api-keys/${held.keyId}`), [204, 404]);
  }

  async #refresh(): Promise<boolean> {
    const family = this.#random.pick(this.#families.filter(({ hasEnded }) => !hasEnded));
    if (!family) return false;
    const token = family.current;
    const made = await this.#form('/token', { grant_type: 'refresh_token', refresh_token: token });
    // A lost answer to an earlier attempt has replaced it, longer ago than a repetition is good.
    const isLate = made.attempts > 1 && made.atMs - made.firstAtMs > REPEAT_MS.surely;
    if (made.response.status === 400 && isLate) {
      this.#endFamily(family);
      return true;
    }
    if (!this.#expect(made, 200, 'token.refreshed')) return false;
    const { access_token, refresh_token = '' } = made.response.json as TokenReply;
    family.before.push({ token, successor: refresh_token, fromMs: made.firstAtMs, toMs: made.atMs });
    family.current = refresh_token;
    const { user } = family;
    this.#hold({ kind: 'token', as: bearer(access_token), valid: new Valid(), user, family, role: user.role });
    return true;
  }

  /** The predecessor of a refresh token: its successor again, or, when it is too old, the end of the family. */
  async #repeatRefresh(): Promise<boolean> {
    const family = this.#random.pick(this.#families.filter((one) => !one.hasEnded && one.before.length > 0));
    const replaced = family?.before.at(-1);
    if (!family || !replaced) return false;
    const tokens = this.#tokensOf(family);
    for (const { valid } of tokens) valid.set('changing');
    const { token, successor, fromMs, toMs } = replaced;
    const made = await this.#form('/token', { grant_type: 'refresh_token', refresh_token: token });
    const { status, json, text } = made.response;
    if (status === 200) {
      for (const { valid } of tokens) valid.set('good', Number.NEGATIVE_INFINITY);
      if (made.firstAtMs - toMs > REPEAT_MS.noLonger) this.#violate('a refresh token is good long after its successor');
      if ((json as TokenReply).refresh_token !== successor) this.#violate('a repeated refresh has another successor');
      return true;
    }
    if (status !== 400 || made.atMs - fromMs < REPEAT_MS.surely)
      this.#violate(`a repeated refresh is ${status} ${text}`);
    this.#endFamily(family);
    return true;
  }

  async #reuseOld(): Promise<boolean> {
    const family = this.#random.pick(this.#families.filter((one) => !one.hasEnded && one.before.length > 1));
    const old = family?.before[this.#random.below(family.before.length - 1)];
    if (!family || !old) return false;
    const reuse = () => this.#form('/token', { grant_type: 'refresh_token', refresh_token: old.token });
    family.hasEnded = true;
    return this.#take(this.#tokensOf(family), 'session.family_revoked', reuse, [400]);
  }

  async #revokeToken(): Promise<boolean> {
    const held = this.#random.pick(this.#good('token'));
    if (!held) return false;
    const token = String(held.as.authorization).slice('Bearer '.length);
    return this.#take([held], 'token.revoked', () => this.#form('/revoke', { token }), [200]);
  }

  async #revokeFamily(): Promise<boolean> {
    const family = this.#random.pick(this.#families.filter(({ hasEnded }) => !hasEnded));
    if (!family) return false;
    family.hasEnded = true;
    const token = this.#random.pick([family.current, ...family.before.map((one) => one.token)]) as string;
    return this.#take(this.#tokensOf(family), 'token.revoked', () => this.#form('/revoke', { token }), [200]);
  }

  async #signOut(): Promise<boolean> {
    const held = this.#random.pick([...this.#good('token'), ...this.#good('cookie')]);
    if (!held) return false;
    const { family, as } = held;
    if (family) family.hasEnded = true;
    const affected = family ? this.#tokensOf(family) : [held];
    // 401: an earlier attempt has ended it.
    return this.#take(affected, 'session.ended', () => this.#change('DELETE', '/session', { as }), [204, 401]);
  }

  async #changeRole(): Promise<boolean> {
    const user = this.#random.pick(this.#enabled());
    const role = this.#random.pick(ROLE_CHOICES.filter((one) => one !== user?.role));
    if (!user || !role) return false;
    user.roleIs.set('changing');
    const made = await this.#change('PUT', `/users/${user.id}`, { body: { role, disabled: false } });
    user.role = role;
    user.roleIs.set('good');
    return this.#expect(made, 200, 'user.changed', made.attempts === 1);
  }

  async #disable(): Promise<boolean> {
    const user = this.#random.pick(this.#enabled());
    if (!user) return false;
    user.isDisabled = true;
    this.#endFamilies(user);
    const body = { role: user.role, disabled: true };
    const put = () => this.#change('PUT', `/users/${user.id}`, { body });
    return this.#take(this.#heldBy(user), 'user.changed', put, [200]);
  }

  async #enable(): Promise<boolean> {
    const user = this.#random.pick(this.#users.filter(({ isDisabled }) => isDisabled));
    if (!user) return false;
    const keys = this.#heldBy(user).filter(({ kind, isGone }) => kind === 'key' && !isGone);
    for (const { valid } of keys) valid.set('changing');
    const made = await this.#change('PUT', `/users/${user.id}`, { body: { role: user.role, disabled: false } });
    user.isDisabled = false;
    for (const { valid } of keys) valid.set('good');
    return this.#expect(made, 200, 'user.changed', made.attempts === 1);
  }

  /** With a token, whose session stays. */
  async #changePassword(): Promise<boolean> {
    const held = this.#random.pick(this.#good('token').filter(({ user }) => user && !user.isDisabled));
    const { user, family, as } = held ?? {};
    if (!held || !user) return false;
    for (const other of this.#families) if (other.user === user && other !== family) other.hasEnded = true;
    const affected = this.#heldBy(user).filter(
      (other) => other.kind !== 'key' && other !== held && (!family || other.family !== family),
    );
    const new_password = `pass ${crypto.randomUUID()}`;
    const body = { current_password: user.password, new_password };
    const put = async () => {
      const made = await this.#change('PUT', '/users/me/password', { as, body });
      // 403: an earlier attempt has changed it.
      if (made.response.status === 204 || (made.response.status === 403 && made.attempts > 1))
        user.password = new_password;
      return made;
    };
    return this.#take(affected, 'user.password_changed', put, [204, 403]);
  }

  async #reset(): Promise<boolean> {
    const user = this.#random.pick(this.#enabled());
    if (!user) return false;
    const made = await this.#change('POST', `/users/${user.id}/password-resets`);
    if (!this.#expect(made, 201, 'user.password_reset_created')) return false;
    const { code } = made.response.json as { code: string };
    const new_password = `pass ${crypto.randomUUID()}`;
    const use = () => this.#change('PUT', `/password-resets/${code}`, { as: 'nobody', body: { new_password } });
    this.#endFamilies(user);
    user.password = new_password;
    const affected = this.#heldBy(user).filter(({ kind }) => kind !== 'key');
    return this.#take(affected, 'user.password_reset', use, [204, 404]);
  }

  async #deleteUser(user: ModelUser | undefined): Promise<boolean> {
    if (!user) return false;
    this.#users.splice(this.#users.indexOf(user), 1);
    this.#endFamilies(user);
    return this.#take(
      this.#heldBy(user),
      'user.deleted',
      () => this.#change('DELETE', `/users/${user.id}`),
      [204, 404],
    );
  }

  // The model

  /** Takes credentials away. Further statuses than the first mean that an earlier attempt has done it. */
  async #take(held: Held[], action: string, change: () => Promise<Acknowledged>, statuses: number[]): Promise<boolean> {
    const affected = held.filter(({ valid }) => valid.state !== 'ended');
    for (const { valid } of affected) valid.set('changing');
    const made = await change();
    this.#end(affected, made.atMs);
    const { status, text } = made.response;
    const isFirst = status === statuses[0];
    if (!isFirst && !(statuses.includes(status) && made.attempts > 1)) this.#violate(`${action}: ${status} ${text}`);
    else if (isFirst && made.attempts === 1) this.#remember(made, action);
    return true;
  }

  #end(held: readonly Held[], atMs?: number): void {
    for (const { valid } of held) valid.set('ended', atMs);
  }

  #endFamily(family: Family): void {
    family.hasEnded = true;
    this.#end(this.#tokensOf(family));
  }

  #endFamilies(user: ModelUser): void {
    for (const family of this.#families) if (family.user === user) family.hasEnded = true;
  }

  /** Forgets the oldest credentials. */
  #hold(held: Held): void {
    this.#held.push(held);
    if (this.#held.length <= MAX_HELD) return;
    const oldest = this.#held.findIndex(({ kind, valid }) => kind !== 'key' || valid.state === 'ended');
    this.#held.splice(Math.max(oldest, 0), 1);
  }

  #enabled(): ModelUser[] {
    return this.#users.filter(({ isDisabled }) => !isDisabled);
  }

  #good(kind: Held['kind']): Held[] {
    return this.#held.filter((held) => held.kind === kind && held.valid.state === 'good' && !held.user?.isDisabled);
  }

  #heldBy(user: ModelUser): Held[] {
    return this.#held.filter((held) => held.user === user);
  }

  /** The texts of a key that are valid. */
  #textsOf({ keyId }: Held): Held[] {
    return this.#held.filter((held) => held.keyId === keyId && held.valid.state !== 'ended');
  }

  #tokensOf(family: Family): Held[] {
    return this.#held.filter((held) => held.family === family && held.valid.state !== 'ended');
  }

  // Requests

  #change(method: string, path: string, options?: CallOptions): Promise<Acknowledged> {
    return this.#gateways.change(() => this.#random.below(this.#gateways.count), method, path, options);
  }

  #form(path: string, fields: Record<string, string>): Promise<Acknowledged> {
    return this.#change('POST', path, { as: 'nobody', headers: FORM, body: String(new URLSearchParams(fields)) });
  }

  #expect(made: Acknowledged, expected: number, action: string, isAudited = true): boolean {
    const { status, text } = made.response;
    if (status === expected && isAudited) this.#remember(made, action);
    if (status !== expected) this.#violate(`${action}: ${status} ${text}, after ${made.attempts} attempts`);
    return status === expected;
  }

  #remember({ response }: Acknowledged, action: string): void {
    this.#findings.audited.set(String(response.headers['x-request-id']), action);
  }

  #violate(what: string): void {
    this.#findings.violations.push(what);
  }
}
