import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../redis/keys.ts';
import { numberOf, type StoredEvent, type StreamEntry, toEvent, toFields } from './event.ts';

const BLOCK_MS = 1_000;
const BATCH = 1_000;
const RETRY_MS = 200;

/** A new event, and its numbers in the streams of the fleet and of its agent. */
export interface FeedEvent extends StoredEvent {
  fleetNumber: number;
  agentNumber: number;
}

/** Notifies waiting workers of these keys: `agent:<id>` and `type:<type>`. */
interface Notifier {
  notify(keys: readonly string[], count: number): void;
  /** Wakeups may have been missed. */
  notifyAll(): void;
}

/** Called with each event of a key; with undefined when events may have been missed. */
type OnEvent = (event: FeedEvent | undefined) => void;

export type Feed = ReturnType<typeof startFeed>;

/** Delivers the events of all replicas within milliseconds, over one connection per replica. */
export function startFeed(redisUrl: string, keys: Keys, notifier: Notifier, logger: Logger) {
  // A connection of its own, as XREAD blocks. In a cluster all keys of the fleet are on one node.
  const redis: RedisClient = connectRedis(redisUrl, logger, { enableAutoPipelining: false });
  const streams = [keys.wakeups, keys.events()] as const;
  const byKey = new Map<string, Set<OnEvent>>();
  let closed = false;
  let last: [string, string] | undefined;

  redis.on('close', () => {
    last = undefined;
  });

  function dispatch(key: string, event: FeedEvent): void {
    for (const onEvent of byKey.get(key) ?? []) onEvent(event);
  }

  function dispatchEvent([id, fields]: StreamEntry): void {
    if (byKey.size === 0) return;
    const event = { ...toEvent(fields), fleetNumber: numberOf(id), agentNumber: Number(toFields(fields).n) };
    dispatch('fleet', event);
    dispatch(`agent:${event.agentId}`, event);
    if (event.taskId !== '') dispatch(`task:${event.taskId}`, event);
  }

  function dispatchWakeup([, fields]: StreamEntry): void {
    const { a: agentId, y: type, n: count } = toFields(fields);
    notifier.notify([`agent:${agentId}`, `type:${type}`], Number(count));
  }

  /** Starts at the current end of both streams, and reports a gap to all listeners. */
  async function begin(): Promise<[string, string]> {
    const [wakeups, events] = await Promise.all(streams.map((stream) => redis.xrevrange(stream, '+', '-', 'COUNT', 1)));
    const ids: [string, string] = [wakeups?.[0]?.[0] ?? '0-0', events?.[0]?.[0] ?? '0-0'];
    notifier.notifyAll();
    for (const set of [...byKey.values()]) for (const onEvent of [...set]) onEvent(undefined);
    return ids;
  }

  async function read(): Promise<void> {
    last ??= await begin();
    const found = await redis.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', ...streams, ...last);
    if (closed) return;
    for (const [stream, entries] of found ?? []) {
      const isWakeup = stream === keys.wakeups;
      for (const entry of entries as StreamEntry[]) (isWakeup ? dispatchWakeup : dispatchEvent)(entry);
      const lastId = (entries as StreamEntry[]).at(-1)?.[0];
      if (lastId !== undefined && last) last[isWakeup ? 0 : 1] = lastId;
    }
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        await read();
      } catch (error) {
        if (closed) return;
        last = undefined;
        if (redis.status === 'ready') logger.warn({ err: error }, 'failed to read events; retrying');
        await sleep(RETRY_MS);
      }
    }
  }

  const running = run();
  return {
    /** `key`: `fleet`, `agent:<id>` or `task:<id>`. Returns a function that unsubscribes. */
    on(key: string, onEvent: OnEvent): () => void {
      const set = byKey.get(key) ?? new Set();
      byKey.set(key, set.add(onEvent));
      return () => {
        set.delete(onEvent);
        if (set.size === 0 && byKey.get(key) === set) byKey.delete(key);
      };
    },
    async close(): Promise<void> {
      closed = true;
      redis.disconnect();
      await running;
    },
  };
}
