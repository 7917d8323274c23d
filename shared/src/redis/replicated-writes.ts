import type { RedisClient } from './connection.ts';
import { NotReplicatedError, redisErrorCause } from './errors.ts';
import { masterOf } from './newest-master.ts';

/** How long replicas may take. */
const WAIT_MS = 1_000;
const BARRIER_MS = 60_000;

/** Resolves when all writes so far, also those of others, are on the replicas. @throws NotReplicatedError */
export type Barrier = () => Promise<void>;

interface Replication {
  /** Replicas that must have a write before it resolves. Default 0. */
  minReplicas?: number;
  /** A key of its own, in the slot of the writes: written before each WAIT. */
  barrierKey?: string;
}

/**
 * Sends writes by one connection, and resolves them only when `minReplicas` replicas have them. The writes of one turn
 * of the event loop share a WAIT, which leaves with them. It blocks the connection for up to a second, so that the next
 * one is sent only after its reply and covers all writes until then: while replicas are lost, a queue of them would
 * grow.
 *
 * Since Redis 7.2, WAIT waits only for what its own connection has written. A script that found its change already
 * made, by another connection, has written nothing. So that its reply too waits for that change, each WAIT follows a
 * write of `barrierKey`.
 */
export class ReplicatedWrites {
  readonly #redis: RedisClient;
  readonly #minReplicas: number;
  readonly #barrierKey: string;
  /** Of the writes that no WAIT follows yet. */
  #open: PromiseWithResolvers<void> | undefined;
  #isWaiting = false;

  constructor(redis: RedisClient, { minReplicas = 0, barrierKey = '' }: Replication = {}) {
    this.#redis = redis;
    this.#minReplicas = minReplicas;
    this.#barrierKey = barrierKey;
    // A WAIT on another connection would wait for nothing.
    if (minReplicas > 0) redis.on('close', () => this.#fail(new Error('Connection is closed.')));
  }

  /** The same for writes in another slot of a cluster, that of `barrierKey`. */
  inSlotOf(barrierKey: string): ReplicatedWrites {
    return new ReplicatedWrites(this.#redis, { minReplicas: this.#minReplicas, barrierKey });
  }

  /**
   * `write` sends all its commands at once. @throws NotReplicatedError: fewer replicas have the write in time, and
   * whether it survives a failover is unknown
   */
  async run<Reply>(write: (redis: RedisClient) => Promise<Reply>): Promise<Reply> {
    if (this.#minReplicas === 0) return write(this.#redis);
    // Before the writes leave, so that the WAIT leaves with them.
    const { promise } = this.#join();
    const reply = await write(this.#redis);
    await promise;
    return reply;
  }

  /**
   * Needed before a reply that says that something is so already: the client takes it as an acknowledgement of the
   * request before, whose own reply was lost or 503.
   */
  readonly barrier: Barrier = async () => {
    if (this.#minReplicas > 0) await this.#join().promise;
  };

  #join(): PromiseWithResolvers<void> {
    if (!this.#open) {
      this.#open = Promise.withResolvers<void>();
      this.#open.promise.catch(() => {});
      setImmediate(() => void this.#wait());
    }
    return this.#open;
  }

  #fail(error: Error): void {
    this.#open?.reject(error);
    this.#open = undefined;
  }

  async #wait(): Promise<void> {
    const batch = this.#open;
    if (!batch || this.#isWaiting) return;
    this.#open = undefined;
    this.#isWaiting = true;
    try {
      await this.#sendWait();
      batch.resolve();
    } catch (error) {
      batch.reject(error);
      // Their WAIT could reach another server than they did.
      if (!(error instanceof NotReplicatedError)) this.#fail(error as Error);
    } finally {
      this.#isWaiting = false;
      // After the writes of this turn.
      if (this.#open) setImmediate(() => void this.#wait());
    }
  }

  async #sendWait(): Promise<void> {
    const wait = this.#redis.pipeline().set(this.#barrierKey, '1', 'PX', BARRIER_MS).wait(this.#minReplicas, WAIT_MS);
    const [barrier, reached] = (await wait.exec()) as [[Error | null, unknown], [Error | null, unknown]];
    const error = barrier[0] ?? reached[0];
    // After MOVED or ASK, the writes have happened.
    if (error) throw redisErrorCause(error) ? error : new NotReplicatedError('the master is another', { cause: error });
    if (Number(reached[1]) >= this.#minReplicas) return;
    // By Sentinel, this may be the former master.
    if (masterOf(this.#redis) !== undefined) this.#redis.disconnect(true);
    throw new NotReplicatedError(`${reached[1]} of ${this.#minReplicas} replicas have a write in time`);
  }
}
