import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisUnavailable, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import { createBatchedCall } from '../batched-calls.ts';
import { AGENT_EVENTS_KEPT, FLEET_EVENTS_KEPT, toEventJson } from '../events/event.ts';
import { numberOf } from '../events/stream-entry.ts';
import { createId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import {
  type AgentEvent,
  type AgentEvents,
  fromFields,
  inCalls,
  MAX_WRITES,
  toArguments,
  weigh,
} from './agent-events.ts';

/** Events per read. */
const READ_STEP = 100;
/** Tasks per script call: each has up to 64 index entries. */
const TASKS_PER_CALL = 25;
/** Outbox entries per call. */
const ENTRIES_PER_CALL = 500;
/** An agent's events are trimmed once they exceed the limit by this many: a trim costs more than an event. */
const TRIM_SLACK = 100;
/** The script's reply when all events of an agent are applied. */
const DONE = -1;

/** Events of an agent, as numbered by the script that made the change. */
interface NumberedEvents {
  agentId: string;
  /** Number of the first event. */
  first: number;
  events: readonly AgentEvent[];
  /** How many events the agent's stream holds now. */
  length: number;
}

export interface CompletedChange {
  agentId: string;
  /** The outbox entry to delete. */
  entry?: string;
  /** How many of the agent's tasks have become ready. */
  ready?: number;
  /** The agent's last wakeup as read before its queue was found empty. */
  lastWakeupWhenIdle?: string;
}

interface PickedAgent {
  agentId: string;
  /** `''` when there was none. */
  lastWakeup: string;
  /** An outbox entry, already open. */
  entry: string;
}

export type Fleet = ReturnType<typeof createFleet>;

/**
 * The fleet-wide projection: indexes, timers, the fleet's event stream and the agents with work. It applies the events
 * of each agent exactly once and in order. These events also complete a change whose process crashed (docs/adr/0004).
 */
export function createFleet(redis: RedisClient, keys: Keys, queue: TaskQueue, logger: Logger) {
  const applyEvents = loadScript(redis, new URL('./apply-events-10.lua', import.meta.url));
  const completeChanges = loadScript(redis, new URL('./complete-changes-5.lua', import.meta.url));
  const pickAgent = loadScript(redis, new URL('./pick-agent-3.lua', import.meta.url));
  const reindexType = loadScript(redis, new URL('./reindex-type-3.lua', import.meta.url));
  const removeTasks = loadScript(redis, new URL('./remove-tasks-3.lua', import.meta.url));
  const tasksBase = keys.fleetTasks({});
  const applyKeys = [
    keys.agentIndexEntries,
    keys.tombstones,
    keys.agents(),
    keys.taskIndexEntries,
    tasksBase,
    keys.timers,
    keys.fleetEvents,
    keys.fleetSeq,
    keys.ready,
    keys.lastWakeups,
  ];
  const completeKeys = [keys.agentIndexEntries, keys.outbox, keys.ready, keys.lastWakeups, keys.wakeups];
  const createEntry = entryFactory();
  const mayRetry = (error: unknown) => !isRedisUnavailable(error);
  const small = { maxWeight: ENTRIES_PER_CALL, weigh: () => 1, mayRetry };

  const openEntry = createBatchedCall(async (entries: readonly string[]) => {
    const now = Date.now();
    await redis.zadd(keys.outbox, ...entries.flatMap((entry) => [now, entry]));
    return entries;
  }, small);

  /** Returns for each agent DONE, or the number of its last applied event when events in between are missing. */
  const applyCall = createBatchedCall(
    async (all: readonly AgentEvents[]) => {
      const head = [Date.now(), FLEET_EVENTS_KEPT];
      return (await applyEvents(applyKeys, [...head, ...all.flatMap(toArguments)])) as number[];
    },
    { maxWeight: MAX_WRITES, weigh, mayRetry },
  );

  const completeCall = createBatchedCall(async (all: readonly CompletedChange[]) => {
    const values = all.flatMap(({ agentId, entry = '', ready = 0, lastWakeupWhenIdle = '' }) => [
      agentId,
      entry,
      ready,
      lastWakeupWhenIdle,
    ]);
    return ((await completeChanges(completeKeys, values)) as number[]).map((deleted) => deleted === 1);
  }, small);

  /** Returns the reply to the last call. */
  async function applyAll(agentId: string, first: number, events: readonly AgentEvent[]): Promise<number> {
    const replies = await Promise.all(inCalls(agentId, first, events).map(applyCall));
    return replies.at(-1) ?? DONE;
  }

  /** Applies the events of an agent after number `last`. */
  async function catchUpAfter(agentId: string, last: number): Promise<void> {
    for (let after = last; ; ) {
      const found = await redis.xrange(keys.agentEvents(agentId), `${after + 1}-0`, '+', 'COUNT', READ_STEP);
      const [head] = found;
      if (!head) return;
      const first = numberOf(head[0]);
      const events = found.map(([, fields]) => fromFields(fields));
      if (first > after + 1) {
        // Another replica may have applied and trimmed them meanwhile.
        const applied = await readLastApplied(agentId);
        if (applied === undefined) return;
        if (applied < first - 1) await skip(agentId, applied, first - 1);
      }
      await applyAll(agentId, first, events);
      after = first + found.length - 1;
    }
  }

  /** Continues at number `to` after events that are lost: the current record of the agent replaces them. */
  async function skip(agentId: string, from: number, to: number): Promise<void> {
    logger.error({ agent_id: agentId, from, to }, 'events of an agent are missing');
    const [record, entry] = await Promise.all([
      redis.get(keys.agent(agentId)),
      redis.hget(keys.agentIndexEntries, agentId),
    ]);
    // A deleted agent keeps its indexed values until its deletion is applied. Without either, nothing is to be removed.
    const [, indexedStatus, indexedType] = entry?.split(' ') ?? [];
    const indexed = { status: indexedStatus, type: indexedType };
    const { status, type } = record ? (JSON.parse(record) as typeof indexed) : indexed;
    if (status === undefined || type === undefined) return;
    const json = toEventJson({ type: 'agent.status', agentId, status, at: new Date().toISOString() });
    await applyCall({ agentId, first: to, mayMiss: true, events: [{ json, status, type }] });
  }

  /** The number of the agent's last applied event; undefined for a deleted agent. */
  async function readLastApplied(agentId: string): Promise<number | undefined> {
    const entry = await redis.hget(keys.agentIndexEntries, agentId);
    return entry === 'removed' ? undefined : Number.parseInt(entry ?? '0', 10);
  }

  return {
    /** Opens an outbox entry. A change holds it from before its first write until the projection is up to date. */
    openOutboxEntry: (agentId: string): Promise<string> => openEntry(`${agentId} ${createEntry()}`),

    /** Applies new events. Call it as soon as they are stored, so that those of one agent arrive in order. */
    async apply({ agentId, first, events, length }: NumberedEvents): Promise<void> {
      const last = await applyAll(agentId, first, events);
      // Another replica changed the agent before, and its events are not applied yet.
      if (last !== DONE) await catchUpAfter(agentId, last);
      if (length > AGENT_EVENTS_KEPT + TRIM_SLACK) {
        // By number, as later events may not be applied yet.
        const kept = first + events.length - AGENT_EVENTS_KEPT;
        if (kept > 0) await redis.xtrim(keys.agentEvents(agentId), 'MINID', `${kept}-0`);
      }
    },

    /** Applies all events of an agent that are not applied yet. */
    async catchUp(agentId: string): Promise<void> {
      const last = await readLastApplied(agentId);
      if (last !== undefined) await catchUpAfter(agentId, last);
    },

    /**
     * Completes a change whose events are applied and whose job is in place. Returns whether the agent has been deleted
     * meanwhile; jobs that were added to its queue are then deleted too.
     */
    async complete(change: CompletedChange): Promise<boolean> {
      const isDeleted = await completeCall(change);
      if (isDeleted) await queue.obliterate(change.agentId);
      return isDeleted;
    },

    /** The agent's last wakeup. Read it before looking for work. */
    readLastWakeup: async (agentId: string): Promise<string | undefined> =>
      (await redis.hget(keys.lastWakeups, agentId)) ?? undefined,

    /** Round robin: picks the agent of these types that has work and was picked longest ago. */
    async pickAgent(types: readonly string[]): Promise<PickedAgent | undefined> {
      const entry = createEntry();
      const reply = await pickAgent([keys.ready, keys.lastWakeups, keys.outbox], [Date.now(), entry, ...types]);
      if (!reply) return undefined;
      const [agentId, lastWakeup] = reply as [string, string];
      return { agentId, lastWakeup, entry: `${agentId} ${entry}` };
    },

    /** Moves a task's timer to this time in ms, unless it is due earlier. */
    async scheduleTimer(agentId: string, taskId: string, at: number): Promise<void> {
      await redis.zadd(keys.timers, 'XX', 'LT', at, `${agentId} ${taskId}`);
    },

    /** Moves tasks to their agent's current type in the indexes. */
    async reindexType(agentId: string, taskIds: readonly string[]): Promise<void> {
      for (const step of inSteps(taskIds)) {
        await reindexType([keys.agentIndexEntries, keys.taskIndexEntries, tasksBase], [agentId, ...step]);
      }
    },

    /** Removes tasks of a deleted agent from indexes and timers. */
    async removeTasks(agentId: string, taskIds: readonly string[]): Promise<void> {
      for (const step of inSteps(taskIds)) {
        await removeTasks([keys.taskIndexEntries, tasksBase, keys.timers], [agentId, ...step]);
      }
    },
  };
}

function* inSteps(taskIds: readonly string[]): Generator<string[]> {
  for (let at = 0; at < taskIds.length; at += TASKS_PER_CALL) yield taskIds.slice(at, at + TASKS_PER_CALL);
}

/** Creates entries that are unique across processes. */
function entryFactory(): () => string {
  const process = createId();
  let count = 0;
  return () => `${process}.${count++}`;
}
