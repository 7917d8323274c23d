import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { MAX_TOKEN_LENGTH } from '../tokens/compact-jws.ts';
import type { Tokens } from '../tokens/token.ts';
import { normaliseEmail } from '../users/email.ts';
import type { Users } from '../users/users.ts';
import { type Principal, toPrincipal } from './principal.ts';

interface Verified extends Principal {
  /** On the monotonic clock: if the system clock is set back, tokens do not stay valid longer. */
  freshUntilMs: number;
  expiresAtMs: number;
  /** Number of user changes before the look-up. */
  generation: number;
}

const MAX_KEPT = 10_000;
const MAX_AGE_MS = 30_000;

export type BearerTokens = ReturnType<typeof createBearerTokens>;

/**
 * Verifies tokens and looks up their users. Valid tokens are cached by their SHA-256 for at most 30 s, never past
 * `exp`. When the message about a removed user is lost, that user's tokens stay valid for at most these 30 s. `verify`
 * rejects while Redis is unavailable.
 */
export function createBearerTokens(tokens: Tokens, users: Users) {
  const kept = new LRUCache<string, Verified>({ max: MAX_KEPT });
  const lookups = { hit: 0, miss: 0 };
  let generation = 0;

  async function lookUp(subject: string, digest: string, expiresAtMs: number): Promise<Principal | undefined> {
    const email = normaliseEmail(subject);
    const startedIn = generation;
    const freshUntilMs = performance.now() + MAX_AGE_MS;
    const user = email === undefined ? undefined : await users.find(email);
    // A result from before a change must not be cached after it.
    const times = { freshUntilMs, expiresAtMs, generation: startedIn };
    const verified = user && { email: user.email, principal: toPrincipal('user', user.email), ...times };
    if (verified) kept.set(digest, verified);
    else kept.delete(digest);
    return verified;
  }

  return {
    /** Hits and misses of the cache; an invalid token is always a miss. */
    lookups,
    /** The user of this token, undefined when it is invalid; a promise only when Redis is queried. */
    verify(token: string): Principal | undefined | Promise<Principal | undefined> {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const digest = digestOf(token);
      const found = kept.get(digest);
      if (found?.generation === generation && isFresh(found)) {
        lookups.hit++;
        return found;
      }
      lookups.miss++;
      const verified = tokens.verify(token);
      return verified && lookUp(verified.subject, digest, verified.expiresAtMs);
    },
    /**
     * Whether this process has accepted the token before and it has not expired. Costs one SHA-256. It does not
     * authenticate: it recognises a known client at an address with many failures.
     */
    isKnown(token: string): boolean {
      const found = token.length > MAX_TOKEN_LENGTH ? undefined : kept.peek(digestOf(token));
      return found !== undefined && Date.now() < found.expiresAtMs;
    },
    /** Discards all results, because a user was changed. */
    clear(): void {
      generation++;
    },
  };
}

function isFresh({ freshUntilMs, expiresAtMs }: Verified): boolean {
  return performance.now() < freshUntilMs && Date.now() < expiresAtMs;
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
