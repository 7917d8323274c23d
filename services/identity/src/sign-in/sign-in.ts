import { hash as digest } from 'node:crypto';
import type { UserRecord } from '@agent-fleet/access/records';
import { normaliseEmail } from '@agent-fleet/access/records';
import { detailError, HttpError } from '@agent-fleet/shared/http/errors';
import { toNetwork } from '@agent-fleet/shared/network';
import { Counter } from 'prom-client';
import { type Origin, toEntry } from '../http/origin.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { retryConflicts, type WritePart } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import type { StoredUser, UserStore } from '../stores/user-store.ts';
import type { Failures } from './failures.ts';

/** What a client signs in with, as sent. */
export interface SignInFields {
  username: string;
  password: string;
}

/** A user whose password is right. */
interface SignedIn {
  user: UserRecord;
  /** By the clock of Redis. */
  nowMs: number;
  /** Notes the sign-in. Fails when the user has changed. */
  part: WritePart;
}

/** Every sign-in changes its user: those of one user at other replicas or addresses conflict with it. */
const MAX_ATTEMPTS = 20;
/** By status; others are `error`: neither right nor wrong, as while Redis is unavailable. */
const OUTCOMES: Record<number, string> = { 401: 'failure', 429: 'limited' };
/** In characters, of what is logged of a user name. */
const MAX_ACCOUNT = 254;

interface Parts {
  users: UserStore;
  passwords: Passwords;
  failures: Failures;
}

/** Begins a sign-in. */
export type BeginSignIn = (fields: SignInFields, origin: Origin) => SignIn;

/**
 * Signs users in by their password, for tokens and for sessions. Answers and times are the same for a wrong password
 * and for a user that is unknown, disabled or without a password.
 */
export function createSignIn(context: IdentityContext, parts: Parts): BeginSignIn {
  const outcomes = new Counter({
    name: 'identity_sign_ins_total',
    help: 'Sign-ins with a password by outcome',
    labelNames: ['outcome'],
    registers: [context.registry],
  });
  const all = { ...context, ...parts, outcomes, reports: createReports(context) };
  return (fields, origin) => new SignIn(all, fields, origin);
}

type Dependencies = IdentityContext &
  Parts & { outcomes: Counter<'outcome'>; reports: ReturnType<typeof createReports> };

/** One sign-in, which costs a hash once: after a conflict, `check` only reads the user again. */
class SignIn {
  readonly #all: Dependencies;
  readonly #origin: Origin;
  readonly #password: string;
  readonly #email: string | undefined;
  /** The e-mail address, or what the client gave in its place. */
  readonly #account: string;
  /** A hash that the password matches, and the one that is to take its place. */
  #right: { hash: string; next: string } | undefined;

  constructor(all: Dependencies, { username, password }: SignInFields, origin: Origin) {
    this.#all = all;
    this.#origin = origin;
    this.#password = password;
    this.#email = normaliseEmail(username);
    this.#account = this.#email ?? username.slice(0, MAX_ACCOUNT).toWellFormed();
  }

  /** Runs `attempt`, which checks and commits, in the turn of the account; again after a conflict. */
  async run<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const { failures, outcomes } = this.#all;
    try {
      const retried = () => retryConflicts(attempt, MAX_ATTEMPTS);
      const result = await failures.inTurn(this.#account, this.#origin.address, retried);
      outcomes.inc({ outcome: 'success' });
      return result;
    } catch (error) {
      outcomes.inc({ outcome: (error instanceof HttpError && OUTCOMES[error.status]) || 'error' });
      throw error;
    }
  }

  /** Checks the password of the user as stored now. @throws 401, 429 after too many failures, 503 `overloaded` */
  async check(): Promise<SignedIn> {
    const { users, redis, keys } = this.#all;
    const known = await this.#requireRight(
      this.#email === undefined ? undefined : await users.findByEmail(this.#email),
    );
    // The user may have changed while the password was hashed.
    const { record, text } = await this.#requireRight(await users.read(known.record.id));
    const nowMs = await redisTime(redis);
    const last_sign_in_at = new Date(nowMs).toISOString();
    const user = { ...record, last_sign_in_at, password_hash: this.#right?.next ?? record.password_hash };
    const key = keys.user(user.id);
    return {
      user,
      nowMs,
      part: { checks: [['value', key, text]], commands: [['SET', key, JSON.stringify(user)]] },
    };
  }

  /** @throws 401 and what `#matches` throws */
  async #requireRight(stored: StoredUser | undefined): Promise<StoredUser> {
    const { reports } = this.#all;
    const hash = stored && !stored.record.disabled ? stored.record.password_hash : null;
    if (stored && hash !== null && hash === this.#right?.hash) return stored;
    const isRight = await this.#matches(hash);
    if (!stored || hash === null || !isRight) {
      await reports.failed(this.#account, this.#origin, stored?.record.id);
      throw detailError(401, 'Incorrect username or password', { 'www-authenticate': 'Bearer' });
    }
    this.#right = { hash, next: await this.#rehash(hash) };
    return stored;
  }

  /** Within the limit of failures. @throws 429 or 503 */
  async #matches(hash: string | null): Promise<boolean> {
    const { failures, passwords, reports } = this.#all;
    const { address } = this.#origin;
    try {
      return await failures.attempt(this.#account, address, () => passwords.matches(hash, this.#password));
    } catch (error) {
      if (error instanceof HttpError && error.status === 429) {
        await reports.limited(this.#account, this.#origin, Number(error.headers['retry-after']));
      }
      throw error;
    }
  }

  /** A hash as it is made today; the present one while too many wait for theirs. */
  async #rehash(hash: string): Promise<string> {
    const { passwords } = this.#all;
    try {
      return (await passwords.needsRehash(hash, this.#password)) ? await passwords.hash(this.#password) : hash;
    } catch {
      return hash;
    }
  }
}

/** Writes failed sign-ins to the log and the audit trail. `account`: what the client gave as user name. */
function createReports({ writes, keys, logger, commit }: IdentityContext) {
  async function audit(action: string, account: string, origin: Origin, userId?: string): Promise<void> {
    const actor = { type: 'anonymous', id: null, name: account } as const;
    const target: Parameters<typeof toEntry>[2] = userId === undefined ? null : ['user', userId];
    await commit([], [toEntry(origin, action, target, { actor, outcome: 'failure' })]);
  }

  return {
    /** `userId`: that of the account, if it exists. */
    async failed(account: string, origin: Origin, userId: string | undefined): Promise<void> {
      const { address, requestId: request_id } = origin;
      logger.info({ account, address, request_id }, 'sign-in failed');
      await audit('sign_in.failed', account, origin, userId);
    },

    /** Once for each time that an account and an address reach the limit, not for every attempt above it. */
    async limited(account: string, origin: Origin, seconds: number): Promise<void> {
      const { address, requestId: request_id } = origin;
      const key = keys.failures(digest('sha256', `limited|${account}|${toNetwork(address)}`));
      const noted = await writes.run((client) => client.set(key, '1', 'EX', Math.max(1, seconds), 'NX'));
      if (noted !== 'OK') return;
      logger.warn({ account, address, request_id }, 'too many failed sign-ins');
      await audit('sign_in.limited', account, origin);
    },
  };
}
