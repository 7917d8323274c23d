import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, Command, type Redis } from 'ioredis';
import { isRead } from './command-kinds.ts';
import { redisErrorCause } from './errors.ts';

const REPEAT_MS = 100;
/** As many as a gateway has requests in flight. */
const MAX_HELD = 10_000;
/** How long a server may take to respond until it counts as unavailable. */
const RESPONSE_MS = 500;

type Send = Cluster['sendCommand'];
type Sent = Parameters<Send>[0];

interface Read {
  command: Sent;
  sentAtMs: number;
  /** Rejects the command. */
  fail: (error: Error) => void;
}

/** Reads that are never held. */
const urgent = new WeakSet<object>();

/**
 * Holds reads while Redis is unavailable, and sends them again until they succeed: a failover then delays them instead
 * of failing them. Reads fail once they, or the failures in a row, are older than `holdMs`: a longer outage holds
 * nothing. Writes fail at once; they are never sent again.
 */
export function holdReads<Client extends Redis | Cluster>(client: Client, holdMs: number): Client {
  const send = client.sendCommand.bind(client) as Send;
  const held = new Map<Sent, Read & { error: Error }>();
  let isScheduled = false;
  /** When the first of the failures in a row was. */
  let failingSinceMs: number | undefined;

  function onError(read: Read, error: Error): void {
    // The timeout of a command that is held already.
    if (held.has(read.command)) return;
    if (!isHeld(read.command, error)) {
      read.fail(error);
      return;
    }
    failingSinceMs ??= performance.now();
    if (isTooOld(read) || held.size === MAX_HELD) {
      read.fail(error);
      return;
    }
    held.set(read.command, { ...read, error });
    repeatLater();
  }

  function repeatLater(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(sendHeld, REPEAT_MS);
  }

  function isTooOld({ sentAtMs }: Read): boolean {
    return performance.now() - Math.min(sentAtMs, failingSinceMs ?? sentAtMs) >= holdMs;
  }

  function sendHeld(): void {
    isScheduled = false;
    for (const [command, read] of [...held]) {
      if (isTooOld(read) || client.status === 'end') {
        held.delete(command);
        read.fail(read.error);
      } else if (client.status === 'ready') {
        held.delete(command);
        repeat(read);
      }
    }
    if (held.size > 0) repeatLater();
  }

  function repeat(read: Read): void {
    const { command } = read;
    const { name, args, isReadOnly } = command;
    const { replyEncoding } = command as unknown as { replyEncoding: BufferEncoding | null };
    // Not the command itself, whose timer has ended. That of a script has a class of its own.
    const copy = new (command.constructor as typeof Command)(name, args, { replyEncoding, readOnly: isReadOnly });
    copy.promise.then(
      (reply) => {
        failingSinceMs = undefined;
        command.resolve(reply);
      },
      (error: Error) => onError(read, error),
    );
    send(copy);
  }

  client.sendCommand = (...sent: Parameters<Send>) => {
    const [command, stream] = sent;
    if (!stream) {
      const read = { command, sentAtMs: performance.now(), fail: command.reject };
      command.reject = (error) => onError(read, error);
      if (failingSinceMs !== undefined && isRead(command)) void command.promise.then(onSuccess, () => {});
    }
    return send(...sent);
  };
  function onSuccess(): void {
    failingSinceMs = undefined;
  }
  return client;
}

function isHeld(command: Sent, error: Error): boolean {
  const cause = redisErrorCause(error);
  if (cause !== 'away' && cause !== 'timeout') return false;
  return isRead(command) && command.name !== 'ping' && !command.inTransaction && !urgent.has(command);
}

/** Whether the server of a key responds to a read now: `ok` or `unavailable`. */
export async function checkRedis(client: Redis | Cluster, key: string): Promise<'ok' | 'unavailable'> {
  const command = new Command('exists', [key]);
  urgent.add(command);
  const reply = (client.sendCommand(command) as Promise<unknown>).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return Promise.race([reply, sleep(RESPONSE_MS, 'unavailable' as const, { ref: false })]);
}
