import { randomBytes } from 'node:crypto';
import { overloaded } from '@agent-fleet/shared/http/errors';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import { hash, hashSync, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import type { Registry } from 'prom-client';

/** What one check costs (RFC 9106, section 3.1). */
interface PasswordCost {
  memoryKib: number;
  passes: number;
  parallelism: number;
}

export interface PasswordOptions {
  cost?: PasswordCost;
  /** Checks and hashes at once, 1 by default: each takes the memory of the cost and one of libuv's four threads. */
  maxAtOnce?: number;
  /** How many may wait, 150 by default: about three seconds at the default cost. */
  maxWaiting?: number;
  /** Of the metrics. */
  registry?: Registry;
}

/** argon2id with 19 MiB and two passes (OWASP's password storage cheat sheet): about 20 ms per check. */
export const DEFAULT_COST: PasswordCost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Hashing and checking of passwords in NFC, else exactly as sent, bounded in what runs and waits at once.
 *
 * @throws when argon2 does not take the cost
 */
export function createPasswords({
  cost = DEFAULT_COST,
  maxAtOnce = 1,
  maxWaiting = 150,
  registry,
}: PasswordOptions = {}) {
  const limit = pLimit(maxAtOnce);
  const options = { memoryCost: cost.memoryKib, timeCost: cost.passes, parallelism: cost.parallelism };
  const prefix = `$argon2id$v=19$m=${cost.memoryKib},t=${cost.passes},p=${cost.parallelism}$`;
  const dummyHash = hashSync(randomBytes(32), options);

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (limit.pendingCount >= maxWaiting) throw overloaded('Too many sign-ins at once; try again', 'password_queue');
    return limit(work);
  }

  if (registry) {
    exposeGauge(registry, {
      name: 'identity_password_hashes',
      help: 'Passwords that are being hashed or checked, and those that wait for it',
      labelNames: ['state'],
      read: () => [
        [{ state: 'running' }, limit.activeCount],
        [{ state: 'waiting' }, limit.pendingCount],
      ],
    });
  }

  return {
    /** @throws 503 `overloaded` when too many wait already */
    async hash(password: string): Promise<string> {
      return enqueue(() => hash(password.normalize('NFC'), options));
    },
    /**
     * Without a hash, takes the same time and is false, so that a response does not reveal whether the user exists. A
     * hash from before passwords were put into NFC matches as sent.
     *
     * @throws 503 `overloaded` when too many wait already
     */
    async matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
      // A lone surrogate is hashed as U+FFFD: another password would match.
      const known = password.isWellFormed() ? passwordHash : null;
      const normalised = password.normalize('NFC');
      const isMatch = await enqueue(async () => {
        if (await verify(known ?? dummyHash, normalised)) return true;
        return normalised !== password && (await verify(known ?? dummyHash, password));
      });
      return isMatch && typeof known === 'string';
    },
    /** Whether the hash that the password matches was made at another cost than today's, or not in NFC. */
    async needsRehash(passwordHash: string, password: string): Promise<boolean> {
      if (!passwordHash.startsWith(prefix)) return true;
      const normalised = password.normalize('NFC');
      return normalised !== password && !(await enqueue(() => verify(passwordHash, normalised)));
    },
  };
}
