const BUCKETS_PER_DOUBLING = 64;
/** From 1 µs to 4 minutes. */
const BUCKETS = 28 * BUCKETS_PER_DOUBLING;

/** Counts times in buckets that are 1 % wide, in memory that does not grow. */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  add(ms: number): void {
    const bucket = Math.floor(Math.log2(Math.max(ms * 1_000, 1)) * BUCKETS_PER_DOUBLING);
    const at = Math.min(bucket, BUCKETS - 1);
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#total++;
  }

  /** In ms; `part` of 1. NaN when there is none. */
  percentile(part: number): number {
    let left = Math.ceil(part * this.#total);
    if (left === 0) return Number.NaN;
    const bucket = this.#counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return 2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING) / 1_000;
  }
}
