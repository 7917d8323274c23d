import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Representation } from '../http/representation.ts';
import type { RedisSnapshotStore } from './redis-snapshot-store.ts';
import type { Served } from './served.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Given to zlib's threads one after another, so that it can be stopped between two. */
const SLICE_BYTES = 256 * 1024;

export interface BestEncodingsOptions {
  /** Of brotli 11: 13 MB take 27 s (measured). */
  bytesPerSecond: number;
  /** How long a snapshot is served at least before its list is encoded. */
  minWaitMs: number;
  /** How often to look for the encoding that another replica makes. */
  pollMs: number;
}

const OPTIONS: BestEncodingsOptions = { bytesPerSecond: 500_000, minWaitMs: 2_000, pollMs: 5_000 };

/**
 * Replaces the brotli body of the list by the smallest there is, made in the background by one of all replicas. A snapshot must have been served
 * for twice as long as that takes before it begins: one that changes every few minutes is not worth it.
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

  /** Encodes the list of this snapshot, and gives up on the one before. */
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

  /** Undefined when this replica is the one to make it. Waits while another one does. */
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
    const compressor = createBrotliCompress({ params });
    const parts: Buffer[] = [];
    compressor.on('data', (part: Buffer) => parts.push(part));
    for (let at = 0; at < body.length; at += SLICE_BYTES) {
      signal.throwIfAborted();
      const slice = body.subarray(at, at + SLICE_BYTES);
      await new Promise<void>((resolve, reject) =>
        compressor.write(slice, (error) => (error ? reject(error) : resolve())),
      );
    }
    await new Promise<void>((resolve, reject) => compressor.on('error', reject).on('end', resolve).end());
    const best = Buffer.concat(parts);
    if (this.#redis.isReady) await this.#redis.writeBest(digest, best);
    return best;
  }
}
