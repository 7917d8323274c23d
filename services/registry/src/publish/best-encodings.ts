import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Representation } from '../serve/http/representation.ts';
import type { RedisSnapshotStore } from './redis-snapshot-store.ts';
import type { Served } from './served.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Compressed slice by slice, so that compression can stop between two slices. */
const SLICE_BYTES = 256 * 1024;

export interface BestEncodingsOptions {
  /** Throughput of brotli 11: 13 MB take 27 s (measured). */
  bytesPerSecond: number;
  /** Minimum time that a snapshot is served before its list is recompressed. */
  minWaitMs: number;
  /** How often to check whether another replica has finished the encoding. */
  pollMs: number;
}

const OPTIONS: BestEncodingsOptions = { bytesPerSecond: 500_000, minWaitMs: 2_000, pollMs: 5_000 };

/**
 * Recompresses the list with the highest brotli level in the background, on one of all replicas. It waits twice as
 * long as the compression takes: a snapshot that changes every few minutes is not worth it.
 */
export class BestEncodings {
  readonly #redis: RedisSnapshotStore;
  readonly #logger: Logger;
  readonly #options: BestEncodingsOptions;
  #current = new AbortController();

  constructor(redis: RedisSnapshotStore, logger: Logger, options = OPTIONS) {
    this.#redis = redis;
    this.#logger = logger;
    this.#options = options;
  }

  /** Recompresses the list of this snapshot and stops work on the previous one. */
  start({ list }: Served): void {
    this.#current.abort();
    this.#current = new AbortController();
    const { signal } = this.#current;
    this.#improve(list, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#logger.warn({ err: error }, 'failed to recompress the list');
    });
  }

  close(): void {
    this.#current.abort();
  }

  async #improve(list: Representation, signal: AbortSignal): Promise<void> {
    const { body } = list.identity;
    if (body.length > MAX_BYTES) return;
    const { bytesPerSecond, minWaitMs } = this.#options;
    const estimateMs = (body.length / bytesPerSecond) * 1_000;
    await sleep(Math.max(minWaitMs, 2 * estimateMs), undefined, { signal, ref: false });
    const best = (await this.#ofOthers(list.digest, estimateMs, signal)) ?? (await this.#make(list, signal));
    if (!signal.aborted && best.length < list.br.body.length) list.setBest(best);
  }

  /** Undefined when this replica has to make it. Waits while another replica makes it. */
  async #ofOthers(digest: string, estimateMs: number, signal: AbortSignal): Promise<Buffer | undefined> {
    while (this.#redis.isReady) {
      if (await this.#redis.claimBest(digest, Math.ceil((3 * estimateMs) / 1_000) + 60)) return undefined;
      const made = await this.#redis.readBest(digest);
      if (made && made.length > 0) return made;
      await sleep(this.#options.pollMs, undefined, { signal, ref: false });
    }
    return undefined;
  }

  async #make({ digest, identity: { body } }: Representation, signal: AbortSignal): Promise<Buffer> {
    const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: body.length };
    const best = await pipeline(slicesOf(body), createBrotliCompress({ params }), buffer, { signal });
    if (this.#redis.isReady) await this.#redis.writeBest(digest, best);
    return best;
  }
}

function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.subarray(at, at + SLICE_BYTES);
}
