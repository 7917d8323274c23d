import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis';
import { type RegistryKeys, registryKeys } from '../keys.ts';
import type { Source } from '../upstream/source.ts';
import { type Check, parseCheck, parseMeta, type Snapshot, type SnapshotMeta, snapshotId } from './snapshot.ts';

const WRITE_SNAPSHOT = readFileSync(new URL('./write-snapshot-1.lua', import.meta.url), 'utf8');
const KEEP_SECONDS = 30 * 24 * 3_600;
/** A snapshot of 64 MiB takes longer than a request may. */
const COMMAND_TIMEOUT_MS = 20_000;
const decompress = promisify(brotliDecompress);

/** What all replicas know of one source: its last good snapshot and how the last check went. */
export class RedisSnapshotStore {
  readonly #redis: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #keys: RegistryKeys;
  readonly #source: Source;
  readonly #maxBytes: number;

  /** `onChange` is called when another replica, or this one, has written something, and when Redis is back. */
  constructor(
    options: { redisUrl: string; prefix: string; source: Source; maxBytes: number; logger: Logger },
    onChange: () => void,
  ) {
    const { redisUrl, prefix, source, maxBytes, logger } = options;
    this.#keys = registryKeys(prefix);
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#redis = connectRedis(redisUrl, logger, { commandTimeout: COMMAND_TIMEOUT_MS });
    this.#subscriber = connectRedis(redisUrl, logger, { autoResubscribe: false });
    this.#subscriber.on('message', onChange);
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(this.#keys.changed(source.key)).then(onChange, (error: unknown) => {
        logger.warn({ err: error }, 'changes of snapshots are noticed by polling only');
      });
    });
  }

  get isReady(): boolean {
    return this.#redis.status === 'ready';
  }

  /** Waits until Redis answers, `timeoutMs` at most. */
  async waitUntilReady(timeoutMs: number): Promise<boolean> {
    return waitForRedis(this.#redis, timeoutMs).then(
      () => true,
      () => false,
    );
  }

  /** One round trip. */
  async readState(): Promise<{ meta: SnapshotMeta | undefined; check: Check | undefined }> {
    const [meta, check] = await Promise.all([
      this.#redis.hget(this.#keys.snapshot(this.#source.key), 'meta'),
      this.#redis.get(this.#keys.check(this.#source.key)),
    ]);
    return { meta: parseMeta(meta), check: parseCheck(check) };
  }

  /** Undefined when there is none, or when its bytes are not those of its id. */
  async read(): Promise<Snapshot | undefined> {
    const [json, body] = await this.#redis.hmgetBuffer(this.#keys.snapshot(this.#source.key), 'meta', 'body');
    const meta = parseMeta(json?.toString() ?? null);
    if (meta === undefined || !body) return undefined;
    const bytes = await decompress(body, { maxOutputLength: this.#maxBytes });
    return snapshotId(bytes) === meta.id ? { meta, bytes } : undefined;
  }

  /** `body`: the bytes in brotli. Atomic; a newer snapshot that is there stays. */
  async write(meta: SnapshotMeta, body: Buffer): Promise<void> {
    const channel = this.#keys.changed(this.#source.key);
    const key = this.#keys.snapshot(this.#source.key);
    await this.#redis.eval(WRITE_SNAPSHOT, 1, key, JSON.stringify(meta), body, KEEP_SECONDS, channel);
  }

  async writeCheck(check: Check): Promise<void> {
    const { key } = this.#source;
    await Promise.all([
      this.#redis.set(this.#keys.check(key), JSON.stringify(check), 'EX', KEEP_SECONDS),
      this.#redis.expire(this.#keys.snapshot(key), KEEP_SECONDS),
      this.#redis.publish(this.#keys.changed(key), 'check'),
    ]);
  }

  close(): void {
    this.#subscriber.disconnect();
    this.#redis.disconnect();
  }
}
