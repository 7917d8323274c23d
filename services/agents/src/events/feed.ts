import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { ReplicatedWrites } from '@agent-fleet/shared/redis/replicated-writes';
import type { FleetContext } from '../redis/fleet-context.ts';
import { numberOf, type StoredEvent, type StreamEntry, toEvent, toFields } from './event.ts';
import { StreamReader } from './stream-reader.ts';
import { createTopics } from './topics.ts';
import { agentTopic, reservedTopic, typeTopic } from './wakeup-topics.ts';

/** A new event, and its numbers in the streams of the fleet and of its agent. */
export interface FeedEvent extends StoredEvent {
  fleetNumber: number;
  agentNumber: number;
}

/** Notifies waiting workers of the topics in wakeup-topics.ts. */
interface Notifier {
  notify(topics: readonly string[], count: number): void;
  /** Wakeups may have been missed. */
  notifyAll(): void;
}

/** Called with each event of a topic; with undefined when events may have been missed. */
type OnEvent = (event: FeedEvent | undefined) => void;

interface FeedRedis {
  url: string;
  minReplicas: number;
}

export type Feed = ReturnType<typeof startFeed>;

/**
 * Delivers the events and wakeups of all replicas within milliseconds, while somebody waits for them: reading them for
 * nobody costs a fifth of the processor time of a created task (measured).
 */
export function startFeed(context: FleetContext, { url, minReplicas }: FeedRedis, notifier: Notifier) {
  const { keys, logger, clock, metrics } = context;
  const topics = createTopics<OnEvent>();
  const eventsRedis = connectRedis(url, logger);
  const wakeups = new StreamReader({
    redis: connectRedis(url, logger),
    key: keys.wakeups,
    onEntry: dispatchWakeup,
    onGap: () => notifier.notifyAll(),
    logger,
  });
  const events = new StreamReader({
    redis: eventsRedis,
    key: keys.events(),
    barrier: new ReplicatedWrites(eventsRedis, { minReplicas, barrierKey: keys.replicated }).barrier,
    onEntry: dispatchEvent,
    onGap() {
      for (const onEvent of topics.all()) onEvent(undefined);
    },
    logger,
  });

  function dispatch(topic: string, event: FeedEvent): void {
    for (const onEvent of topics.of(topic)) onEvent(event);
  }

  function dispatchEvent([id, fields]: StreamEntry): void {
    if (topics.isEmpty()) return;
    const event = { ...toEvent(fields), fleetNumber: numberOf(id), agentNumber: Number(toFields(fields).n) };
    metrics.observeEventLag(clock.now() - event.at);
    dispatch('fleet', event);
    dispatch(`agent:${event.agentId}`, event);
    if (event.taskId !== '') dispatch(`task:${event.taskId}`, event);
  }

  function dispatchWakeup([, fields]: StreamEntry): void {
    const { a: agentId = '', y: type = '', n: count, w: worker } = toFields(fields);
    const topics = [agentTopic(agentId), typeTopic(type)];
    notifier.notify(worker ? topics.map((topic) => reservedTopic(topic, worker)) : topics, Number(count));
  }

  /** `topic`: `fleet`, `agent:<id>` or `task:<id>`. Returns a function that unsubscribes. */
  function on(topic: string, onEvent: OnEvent): () => void {
    const stop = events.use();
    const off = topics.on(topic, onEvent);
    return () => {
      stop();
      off();
    };
  }

  return {
    on,
    /** Calls `onDeleted` when the agent is deleted. Returns a function that unsubscribes. */
    onAgentDeleted: (agentId: string, onDeleted: () => void) =>
      on(`agent:${agentId}`, (event) => event?.type === 'agent.deleted' && onDeleted()),
    /** Delivers wakeups until the returned function is called. */
    readWakeups: () => wakeups.use(),
    async close(): Promise<void> {
      await Promise.all([wakeups.close(), events.close()]);
    },
  };
}
