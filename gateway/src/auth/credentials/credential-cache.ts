import { isRedisUnavailable, UnprovenMasterError } from '@agent-fleet/shared/redis/errors';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../schemes/principal.ts';
import type { ChangeFollower } from './change-follower.ts';

/** A credential that was found valid. */
export interface Found {
  principal: Principal;
  expiresAtMs: number;
}

interface Kept extends Found {
  /** On the monotonic clock: if the system clock is set back, credentials do not stay valid longer. */
  verifiedAtMs: number;
}

const MAX_KEPT = 10_000;
/** Even without a change, a credential is looked up again after this time; the longest use without Redis. */
const MAX_AGE_MS = 30_000;
/** Redis answers a look-up within a few ms. */
const SLOW_MS = 250;

/**
 * Keeps valid credentials of one scheme, by the text that was sent: hashing it would cost more than the look-up in this
 * map. Changed records drop what depends on them. While changes cannot be followed, each use is verified anew; while
 * Redis cannot be read either, what was verified in the last 30 s stays valid. Without a proof that Redis is the
 * present master nothing is: `primary-proof.ts`.
 */
export class CredentialCache {
  /** Uses that needed no look-up, and others. */
  readonly lookups = { hit: 0, miss: 0 };
  readonly #changes: ChangeFollower;
  readonly #proof: { readonly untilMs: number };
  /** Look-ups that are slow now. */
  #slow = 0;
  readonly #byTag = new Map<string, Set<string>>();
  readonly #kept = new LRUCache<string, Kept>({
    max: MAX_KEPT,
    dispose: (kept, credential) => this.#removeTags(kept, credential),
  });

  /** `proof`: until when, by `performance.now()`, Redis is known to be the present master. */
  constructor(changes: ChangeFollower, proof = { untilMs: Number.POSITIVE_INFINITY }) {
    this.#changes = changes;
    this.#proof = proof;
    changes.onChange((tag) => this.#drop(tag));
    changes.onReset(() => this.#kept.clear());
  }

  /** The valid credential without a look-up, undefined when it needs one. */
  get(credential: string): Principal | undefined {
    const kept = this.#kept.get(credential);
    const nowMs = performance.now();
    if (kept && isFresh(kept, nowMs) && nowMs < this.#changes.currentUntilMs && nowMs < this.#proof.untilMs) {
      this.lookups.hit++;
      return kept.principal;
    }
    return undefined;
  }

  /** Looks a credential up, and keeps it if it is valid. @throws what `lookUp` throws */
  async lookUp(credential: string, lookUp: () => Promise<Found | undefined>): Promise<Principal | undefined> {
    this.lookups.miss++;
    if (performance.now() >= this.#proof.untilMs) throw new UnprovenMasterError('Redis may be a former master');
    const kept = this.#kept.peek(credential);
    const looking = this.#lookUp(credential, lookUp);
    if (!kept || !isFresh(kept)) return looking;
    const isStillKept = () => this.#kept.has(credential);
    try {
      return await this.#unlessSlow(looking, isStillKept, kept.principal);
    } catch (error) {
      if (isRedisUnavailable(error) && isStillKept()) return kept.principal;
      throw error;
    }
  }

  async #lookUp(credential: string, lookUp: () => Promise<Found | undefined>): Promise<Principal | undefined> {
    const { position } = this.#changes;
    const verifiedAtMs = performance.now();
    const found = await lookUp();
    // A look-up that began before a change may have read what was before it.
    if (!found) this.#kept.delete(credential);
    else if (position === this.#changes.position) this.#keep(credential, { ...found, verifiedAtMs });
    return found?.principal;
  }

  /** While look-ups are slow, because Redis hangs, what was verified before does not wait for them. */
  #unlessSlow(looking: Promise<Principal | undefined>, isStillKept: () => boolean, kept: Principal) {
    const { promise, resolve } = Promise.withResolvers<Principal>();
    let isSlow = false;
    const onSlow = () => {
      isSlow = true;
      this.#slow++;
      if (isStillKept()) resolve(kept);
    };
    const timer = setTimeout(onSlow, SLOW_MS);
    if (this.#slow > 0) resolve(kept);
    const settled = looking.finally(() => {
      clearTimeout(timer);
      if (isSlow) this.#slow--;
    });
    return Promise.race([promise, settled]);
  }

  /**
   * Whether this process has accepted the credential before and it has not expired. It does not authenticate: it
   * recognises a known client at an address with many failures.
   */
  isKnown(credential: string): boolean {
    const kept = this.#kept.peek(credential);
    return kept !== undefined && Date.now() < kept.expiresAtMs;
  }

  #keep(credential: string, kept: Kept): void {
    this.#kept.set(credential, kept);
    for (const tag of kept.principal.tags) {
      const tagged = this.#byTag.get(tag);
      if (tagged) tagged.add(credential);
      else this.#byTag.set(tag, new Set([credential]));
    }
  }

  #drop(tag: string): void {
    for (const credential of this.#byTag.get(tag) ?? []) this.#kept.delete(credential);
  }

  #removeTags({ principal }: Kept, credential: string): void {
    for (const tag of principal.tags) {
      const tagged = this.#byTag.get(tag);
      tagged?.delete(credential);
      if (tagged?.size === 0) this.#byTag.delete(tag);
    }
  }
}

function isFresh({ verifiedAtMs, expiresAtMs }: Kept, nowMs = performance.now()): boolean {
  return nowMs < verifiedAtMs + MAX_AGE_MS && Date.now() < expiresAtMs;
}
