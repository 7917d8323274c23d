import type { Refusal } from '../building/built-snapshot.ts';

const MAX_KEPT = 100;

/**
 * The last hundred files that this process refused. They are not judged again, as the result depends only on the files
 * and on the served files of their source. Other replicas and later versions judge for themselves.
 */
export class RefusedFiles {
  readonly #refusals = new Map<string, Refusal>();

  /** `key` is the key of the source, `served` the digest of its served files. */
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
