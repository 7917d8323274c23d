import { Command, type Redis } from 'ioredis';
import { isWrite } from './command-kinds.ts';
import { NotReplicatedError, redisErrorCause } from './errors.ts';

/** How long replicas may take. */
const WAIT_MS = 1_000;
const BARRIER_MS = 60_000;

/** Writes that no WAIT follows yet. */
interface Batch extends PromiseWithResolvers<void> {
  /** What they were written to: a WAIT on another connection would wait for nothing. */
  stream: Redis['stream'];
  key: string;
}

type Sent = Parameters<Redis['sendCommand']>[0] & { resolveNow?: (value: unknown) => void };

/**
 * Lets a write of this connection resolve only when `replicas` replicas have it. The writes of one turn of the event
 * loop share a WAIT. It blocks the connection for up to a second, so that the next one is sent only after its reply and
 * covers all writes until then: while replicas are lost, a queue of them would grow. A write rejects with
 * `NotReplicatedError` when fewer replicas have it.
 */
export function awaitReplicas(client: Redis, replicas: number): Redis {
  const send = client.sendCommand.bind(client);
  let open: Batch | undefined;
  let isWaiting = false;
  /** The last key that was used: EXEC has none. */
  let key = '';

  function batchOf(stream: Redis['stream']): Batch {
    if (open && open.stream !== stream) fail(open);
    if (!open) {
      open = { ...Promise.withResolvers<void>(), stream, key };
      open.promise.catch(() => {});
      // Before the writes leave, so that the WAIT leaves with them.
      setImmediate(wait);
    }
    return open;
  }

  function fail(batch: Batch): void {
    open = undefined;
    batch.reject(new Error('Connection is closed.'));
  }

  function wait(): void {
    if (!open || isWaiting) return;
    const batch = open;
    if (client.status !== 'ready' || client.stream !== batch.stream) {
      fail(batch);
      return;
    }
    open = undefined;
    isWaiting = true;
    void sendWait(batch).then(batch.resolve, (error: Error) => {
      batch.reject(toFailure(error));
      if (client.options.reconnectOnError?.(error)) client.disconnect(true);
    });
  }

  async function sendWait(batch: Batch): Promise<void> {
    try {
      const barrier = new Command('set', [barrierOf(batch.key), '1', 'PX', BARRIER_MS]);
      const command = new Command('wait', [replicas, WAIT_MS]);
      barrier.promise.catch(() => {});
      send(barrier);
      send(command);
      const reached = Number(await command.promise);
      await barrier.promise;
      if (reached < replicas) throw new NotReplicatedError(`${reached} of ${replicas} replicas have a write in time`);
    } finally {
      isWaiting = false;
      // After the writes of this turn.
      if (open) setImmediate(wait);
    }
  }

  client.sendCommand = (command: Sent, ...rest) => {
    if (client.status === 'ready') {
      if (!open) key = command.getKeys()[0]?.toString() ?? key;
      if (isWrite(command)) hold(command, batchOf(client.stream));
    }
    return send(command, ...rest);
  };
  return client;
}

/** After MOVED or ASK for the barrier, a cluster would send the writes again, which have happened. */
function toFailure(error: Error): Error {
  if (redisErrorCause(error)) return error;
  return new NotReplicatedError('replicas of another master may have a write', { cause: error });
}

/** A cluster or an offline queue may send a command again: only its last WAIT counts. */
function hold(command: Sent, batch: Batch): void {
  command.resolveNow ??= command.resolve as (value: unknown) => void;
  const { resolveNow } = command;
  command.resolve = (value: unknown) => {
    // No result: ioredis returns the promise of the command, which may have timed out.
    batch.promise.then(
      () => void resolveNow(value),
      (error: Error) => command.reject(error),
    );
  };
}

/**
 * Since Redis 7.2, WAIT waits only for what its own connection has written. A script that found its change already
 * made, by another connection, has written nothing. So that its reply too waits for that change, each WAIT follows a
 * write, of this key, in the slot of the others.
 */
function barrierOf(key: string): string {
  const [tagged] = /^[^{]*\{[^}]+\}/.exec(key) ?? [`{${key}}`];
  return `${tagged}:replicated`;
}
