import { detailError, HttpError, overloaded } from '@agent-fleet/shared/http/errors';
import type { AuditActor } from '@agent-fleet/shared/identity/audit';
import { normaliseEmail } from '@agent-fleet/shared/identity/email';
import type { UserRecord } from '@agent-fleet/shared/identity/records';
import type { Origin } from '../http/origin.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { retryConflicts, type Write } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import type { UserStore } from '../users/user-store.ts';
import { createFailureReports } from './failure-reports.ts';
import type { Failures } from './failures.ts';
import { createTurns } from './turns.ts';

/** What signing in needs of other features. */
interface SignInParts {
  users: UserStore;
  passwords: Passwords;
  failures: Failures;
}

/** What a client signs in with, as sent. */
export interface SignInFields {
  username: string;
  password: string;
}

/** What a sign-in writes beside the user, and its result. */
export interface Made<Result> extends Omit<Write, 'checks'> {
  result: Result;
}

/** Decides what a sign-in makes; runs again after a conflict. `nowMs`: by the clock of Redis. @throws to refuse it */
type Make<Result> = (user: UserRecord, nowMs: number) => Promise<Made<Result>>;

export type SignIn = ReturnType<typeof createSignIn>;

/** In characters, of what is logged of a user name. */
const MAX_ACCOUNT = 254;
/** Every sign-in changes its user: those of one user take turns here, and conflict with those at other replicas. */
const MAX_ATTEMPTS = 20;
/** As many as may wait for a hash. */
const MAX_WAITING = 150;

/**
 * Signs users in by their password, for tokens and for sessions. Answers and times are the same for a wrong password
 * and for a user that is unknown, disabled or without a password.
 */
export function createSignIn(context: IdentityContext, { users, passwords, failures }: SignInParts) {
  const { redis, keys, commit, metrics } = context;
  const report = createFailureReports(context);
  const turns = createTurns(MAX_WAITING, () => overloaded('Too many sign-ins at once; try again', 'sign_in_turns'));

  /** Returns a check of the password that hashes it once for each hash: a record is read again after a conflict. */
  function createCheck(password: string) {
    let checked: string | undefined;
    return async (user: UserRecord | undefined): Promise<boolean> => {
      // A lone surrogate is hashed as U+FFFD: another password would match.
      const usable = user && !user.disabled && password.isWellFormed() ? user.password_hash : null;
      if (usable !== null && usable === checked) return true;
      const isRight = await passwords.matches(usable, password);
      if (isRight) checked = usable ?? undefined;
      return isRight;
    };
  }

  /** A hash at today's cost; the present one while too many wait for theirs. */
  async function rehash(passwordHash: string | null, password: string): Promise<string | null> {
    if (passwordHash === null || !passwords.needsRehash(passwordHash)) return passwordHash;
    return passwords.hash(password).catch(() => passwordHash);
  }

  /** Undefined when the password is wrong. A change of the user meanwhile wins: then it is checked again. */
  async function checkAndWrite<Result>(email: string | undefined, password: string, make: Make<Result>) {
    const isRight = createCheck(password);
    const known = email === undefined ? undefined : await users.findByEmail(email);
    if (!(await isRight(known?.record)) || !known) return undefined;
    const userId = known.record.id;
    let upgraded: { from: string | null; to: string | null } | undefined;
    const write = async () => {
      const stored = await users.read(userId);
      if (!stored || !(await isRight(stored.record))) return undefined;
      const { record, text } = stored;
      if (upgraded?.from !== record.password_hash) {
        upgraded = { from: record.password_hash, to: await rehash(record.password_hash, password) };
      }
      const nowMs = await redisTime(redis);
      const last_sign_in_at = new Date(nowMs).toISOString();
      const user: UserRecord = { ...record, last_sign_in_at, password_hash: upgraded.to };
      const { result, commands, ...made } = await make(user, nowMs);
      const failed = await commit({
        ...made,
        checks: [['value', keys.user(user.id), text]],
        commands: [['SET', keys.user(user.id), JSON.stringify(user)], ...commands],
      });
      return failed ? 'conflict' : { result };
    };
    return turns.run(userId, () => retryConflicts(write, MAX_ATTEMPTS));
  }

  /**
   * Signs in, writes the time of it and what `make` adds, and returns the result of `make`.
   * @throws 401, 429 `rate_limited` after too many failures, 503 `overloaded`
   */
  return async function signIn<Result>(fields: SignInFields, origin: Origin, make: Make<Result>): Promise<Result> {
    const email = normaliseEmail(fields.username);
    const account = email ?? fields.username.slice(0, MAX_ACCOUNT).toWellFormed();
    const signedIn: { made?: { result: Result } } = {};
    try {
      await failures.attempt(account, origin.address, async () => {
        signedIn.made = await checkAndWrite(email, fields.password, make);
        return signedIn.made !== undefined;
      });
    } catch (error) {
      const isLimited = error instanceof HttpError && error.status === 429;
      metrics.countSignIn(isLimited ? 'limited' : 'error');
      if (isLimited) {
        await report.limited(account, origin, Number(error.headers['retry-after']));
      }
      throw error;
    }
    metrics.countSignIn(signedIn.made ? 'success' : 'failure');
    if (signedIn.made) return signedIn.made.result;
    const known = email === undefined ? undefined : await users.findByEmail(email);
    await report.failed(account, origin, known?.record.id);
    throw detailError(401, 'Incorrect username or password', { 'www-authenticate': 'Bearer' });
  };
}

/** A user as the actor of an audit entry; without the e-mail address when the user no longer exists. */
export function toActor({ id, email }: { id: string; email: string | null }): AuditActor {
  return { type: 'user', id, name: email };
}
