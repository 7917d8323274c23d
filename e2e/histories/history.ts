import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../harness/http-client.ts';
import { type Held, mayWrite } from './credentials.ts';
import type { Findings } from './findings.ts';
import type { Gateways } from './gateways.ts';
import { createKey, deleteKey, rotate } from './key-changes.ts';
import { Model } from './model.ts';
import { Random } from './random.ts';
import {
  openSession,
  refresh,
  repeatRefresh,
  reuseOld,
  revokeFamily,
  revokeToken,
  signIn,
  signOut,
} from './session-changes.ts';
import { changePassword, changeRole, createUser, deleteUser, disable, enable, reset } from './user-changes.ts';

/** What was taken away is refused by every gateway after this time. */
const REFUSED_AFTER_MS = 3_000;
const CHECKS = 4;
const PAUSE_MS = 15;
/** A text is no body of the operation: whoever may call it creates nothing. */
const NO_BODY = { body: 'x', headers: { 'content-type': 'text/plain' } };

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

/** False if there is nothing to do it to. */
type Act = (model: Model) => Promise<boolean>;

const ACTIONS: Record<Action, Act> = {
  createUser,
  signIn: (model) => signIn(model, ''),
  signInOffline: (model) => signIn(model, 'offline_access'),
  openSession,
  createKey,
  rotate: (model) => rotate(model, 3_600),
  rotateAtOnce: (model) => rotate(model, 0),
  deleteKey,
  refresh,
  repeatRefresh,
  reuseOld,
  revokeToken,
  revokeFamily,
  signOut,
  changeRole,
  disable,
  enable,
  changePassword,
  reset,
  deleteUser: (model) => deleteUser(model, model.random.pick(model.users)),
};

/** A random history of users and their credentials, which are used at the same time. */
export class History {
  readonly #model: Model;

  constructor(seed: number, gateways: Gateways, findings: Findings) {
    this.#model = new Model(new Random(seed), gateways, findings);
  }

  async run(untilMs: number): Promise<void> {
    const { random, held, gateways, findings } = this.#model;
    while (performance.now() < untilMs) {
      const action = random.weighted(WEIGHTS);
      const [isDone] = await Promise.all([ACTIONS[action](this.#model), this.#checkSome()]);
      if (isDone) findings.count(action);
      await sleep(PAUSE_MS);
    }
    await sleep(REFUSED_AFTER_MS + 500);
    for (const one of held) for (let at = 0; at < gateways.count; at++) await this.#check(one, at);
  }

  async #checkSome(): Promise<void> {
    const { random, held, gateways } = this.#model;
    for (let count = 0; count < CHECKS; count++) {
      const one = random.pick(held);
      if (one) await this.#check(one, random.below(gateways.count));
    }
  }

  /** Uses a credential at a gateway for a request that every role may send, or one that only some may. */
  async #check(held: Held, at: number): Promise<void> {
    const { gateways } = this.#model;
    const { valid, user } = held;
    const isWrite = this.#model.random.next() < 0.3;
    const expected = toExpectation(held, isWrite);
    const { response, startedAtMs, wasDown } = isWrite
      ? await gateways.send(at, 'POST', '/agents', { as: held.as, ...NO_BODY })
      : await gateways.send(at, 'GET', '/agents?limit=1', { as: held.as });
    if (!response) {
      if (!wasDown) this.#model.violate(`gateway ${at} broke a connection without having been killed`);
      return;
    }
    // Changed meanwhile: either is right.
    if (valid.version !== expected.version) return;
    const isRoleStable = user?.roleIs.version === expected.roleVersion;
    if (expected.state === 'ended') this.#judgeEnded(held, response, startedAtMs);
    if (expected.state === 'good') this.#judgeGood(held, response, isRoleStable ? expected.status : undefined);
  }

  #judgeEnded({ kind, valid }: Held, response: HttpResponse, startedAtMs: number): void {
    const { findings, gateways } = this.#model;
    findings.count('ended checks');
    if (response.status >= 500 || isRefusal(response)) return;
    // Without Redis, what was verified within 30 s goes on.
    if (gateways.isInOutageAfter(valid.sinceMs, startedAtMs, REFUSED_AFTER_MS)) return;
    const lateMs = Math.round(startedAtMs - valid.sinceMs);
    findings.latestUseMs = Math.max(findings.latestUseMs, lateMs);
    if (lateMs > REFUSED_AFTER_MS) this.#model.violate(`a ${kind} is accepted ${lateMs} ms after its end`);
  }

  /** `expected`: undefined while a gateway need not know the role. */
  #judgeGood({ kind, valid, user, role }: Held, response: HttpResponse, expected: number | undefined): void {
    const { status, text } = response;
    this.#model.findings.count('good checks');
    if (status === 503) return;
    if (isRefusal(response)) {
      // A key whose user was enabled again.
      if (performance.now() - valid.sinceMs > REFUSED_AFTER_MS)
        this.#model.violate(`a good ${kind} is ${status} ${text}`);
    } else if (status >= 500 || (expected !== undefined && status !== expected)) {
      this.#model.violate(`a ${kind} of ${user?.role}/${role} is ${status}, not ${expected}: ${text}`);
    }
  }
}

/** What the model says now, before a request. */
function toExpectation(held: Held, isWrite: boolean) {
  const { valid, user } = held;
  const isRoleKnown =
    !user || (user.roleIs.state === 'good' && performance.now() - user.roleIs.sinceMs > REFUSED_AFTER_MS);
  const status = isWrite ? (mayWrite(held) ? 415 : 403) : 200;
  return {
    state: valid.state,
    version: valid.version,
    roleVersion: user?.roleIs.version,
    status: isRoleKnown || !isWrite ? status : undefined,
  };
}

function isRefusal({ status, text }: HttpResponse): boolean {
  return status === 401 || text === '{"detail":"Invalid API key"}';
}
