import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { MAX_TOKEN_LENGTH } from '../tokens/compact-jws.ts';
import type { Tokens } from '../tokens/token.ts';
import { normaliseEmail } from '../users/email.ts';
import type { Users } from '../users/users.ts';
import { toPrincipal } from './principal.ts';

/** The user that a bearer token stands for. */
interface BearerUser {
  email: string;
  principal: string;
}

interface Verified extends BearerUser {
  /** By the clock that nobody sets back, or a token would stay good for as long as the clock was set back by. */
  freshUntilMs: number;
  expiresAtMs: number;
  /** Which time between two changes of users it was looked up in. */
  generation: number;
}

const MAX_KEPT = 10_000;
const MAX_AGE_MS = 30_000;

export interface BearerTokens {
  /** Who sent this token, undefined when it is not good; a promise only where Redis has to be asked. */
  verify(token: string): BearerUser | undefined | Promise<BearerUser | undefined>;
  /**
   * Whether this token was found good before by this process and has not ended, though it may have to be verified anew. Costs a SHA-256 and
   * no more, and admits nobody: it tells a known client among the failures of an address.
   */
  isKnown(token: string): boolean;
  /** A user was changed: everything is verified anew. */
  clear(): void;
  /** How often a token was found in the cache, and how often not; a bad token never is. */
  readonly lookups: { hits: number; misses: number };
}

/**
 * Verifies tokens and looks their users up, keeping what was good by the token's SHA-256 for at most 30 s and never past `exp`. Those 30 s
 * are also the longest that a removed user's token stays good where the message of it is lost: the connection that brings it down, or dead
 * without a sign.
 * `verify` rejects when Redis is away.
 */
export function createBearerTokens(tokens: Tokens, users: Users): BearerTokens {
  const kept = new LRUCache<string, Verified>({ max: MAX_KEPT });
  const lookups = { hits: 0, misses: 0 };
  let generation = 0;

  async function lookUp(subject: string, digest: string, expiresAtMs: number): Promise<BearerUser | undefined> {
    const email = normaliseEmail(subject);
    const startedIn = generation;
    const freshUntilMs = performance.now() + MAX_AGE_MS;
    const user = email === undefined ? undefined : await users.find(email);
    // An answer from before a change stays unused after it.
    const times = { freshUntilMs, expiresAtMs, generation: startedIn };
    const verified = user && { email: user.email, principal: toPrincipal('user', user.email), ...times };
    if (verified) kept.set(digest, verified);
    else kept.delete(digest);
    return verified;
  }

  return {
    lookups,
    verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const digest = digestOf(token);
      const found = kept.get(digest);
      if (found?.generation === generation && isFresh(found)) {
        lookups.hits++;
        return found;
      }
      lookups.misses++;
      const verified = tokens.verify(token);
      return verified && lookUp(verified.subject, digest, verified.expiresAtMs);
    },
    isKnown(token) {
      const found = token.length > MAX_TOKEN_LENGTH ? undefined : kept.peek(digestOf(token));
      return found !== undefined && Date.now() < found.expiresAtMs;
    },
    clear() {
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
