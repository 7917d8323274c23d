import type { Refusal } from '../building/built-snapshot.ts';

const MAX_KEPT = 100;

/**
 * What this process has refused, the last hundred: it is not judged again, as the verdict depends only on the files and on what was served
 * of their source. Other replicas, and a version that reads more, judge for themselves.
 */
export class RefusedFiles {
  readonly #refusals = new Map<string, Refusal>();

  /** `key` is that of the source, `served` the digest of what is served of it. */
  find(key: string, digest: string, served: string | undefined): Refusal | undefined {
    return this.#refusals.get(toName(key, digest, served));
  }

  add(key: string, refusal: Refusal, served: string | undefined): void {
    this.#refusals.set(toName(key, refusal.digest, served), refusal);
    const [oldest] = this.#refusals.keys();
    if (oldest !== undefined && this.#refusals.size > MAX_KEPT) this.#refusals.delete(oldest);
  }
}

function toName(key: string, digest: string, served = ''): string {
  return `${key} ${digest} ${served}`;
}
