import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { normaliseEmail } from './email.ts';
import type { Tokens } from './token.ts';
import type { Users } from './users.ts';

/** The user that a bearer token stands for. */
export interface BearerUser {
  email: string;
  principal: string;
}

interface Verified extends BearerUser {
  goodUntilMs: number;
}

const MAX_KEPT = 10_000;
const MAX_AGE_MS = 30_000;
const MAX_TOKEN_LENGTH = 8_192;

export interface BearerTokens {
  /** Who sent this token, undefined when it is not good; a promise only where Redis has to be asked. */
  verify(token: string): BearerUser | undefined | Promise<BearerUser | undefined>;
  /** Forgets everything verified so far: a user was changed. */
  clear(): void;
}

/**
 * Verifies tokens and looks their users up, keeping what was good by the token's SHA-256 for at most 30 s and never past `exp`.
 * `verify` rejects when Redis is away.
 */
export function createBearerTokens(tokens: Tokens, users: Users): BearerTokens {
  const kept = new LRUCache<string, Verified>({ max: MAX_KEPT });
  let generation = 0;

  async function lookUp(subject: string, digest: string, expiresAtMs: number): Promise<BearerUser | undefined> {
    const email = normaliseEmail(subject);
    const startedIn = generation;
    const askedAtMs = Date.now();
    const user = email === undefined ? undefined : await users.find(email);
    if (!user) return undefined;
    const goodUntilMs = Math.min(askedAtMs + MAX_AGE_MS, expiresAtMs);
    const verified = { email: user.email, principal: toPrincipal('user', user.email), goodUntilMs };
    // An answer from before a change must not be kept after it.
    if (startedIn === generation) kept.set(digest, verified);
    return verified;
  }

  return {
    verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const digest = hash('sha256', token, 'base64');
      const found = kept.get(digest);
      if (found && Date.now() < found.goodUntilMs) return found;
      const verified = tokens.verify(token);
      return verified && lookUp(verified.subject, digest, verified.expiresAtMs);
    },
    clear() {
      generation++;
      kept.clear();
    },
  };
}

const NOT_VISIBLE_ASCII = /[^\x21-\x7e]|%/gu;

/** `user:<e-mail>` or `key:<name>`, percent-encoded where a header could not hold it. */
export function toPrincipal(kind: 'user' | 'key', name: string): string {
  return `${kind}:${name.replace(NOT_VISIBLE_ASCII, encodeURIComponent)}`;
}
