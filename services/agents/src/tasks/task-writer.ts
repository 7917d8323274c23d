import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import { agentNotFound } from '../agents/agents.ts';
import type { AgentsConfig } from '../config.ts';
import { type AgentEvent, SAME_TAGS } from '../fleet/agent-events.ts';
import type { CompletedChange, Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import { QUEUE_EVENTS_KEPT, type TaskQueue } from '../queue/task-queue.ts';
import { toQueued } from './agent-tasks.ts';
import { createTrimEnded } from './ended-tasks.ts';
import type { Task } from './task.ts';
import { toAgentEvent, toCreatedEvent, toStatusEvent } from './task-events.ts';
import { createUpdateJob } from './task-jobs.ts';
import { taskNotFound } from './task-not-found.ts';
import { earliestStart } from './task-rules.ts';
import { parseState } from './task-state.ts';
import type { StoredTask, TaskChange } from './task-transitions.ts';

/** Tries of one change at most: of concurrent changes of a task one succeeds, and the others try again. */
const MAX_TRIES = 50;

/** A task after a change, or unchanged. */
export interface ChangedTask extends StoredTask {
  json: string;
  /** False when the rule returned no change. */
  changed: boolean;
  /** Jobs that are ready in the agent's queue. */
  waiting: number;
}

interface ChangeOptions {
  /** An outbox entry that is open already. */
  entry?: string;
  /** The agent's last wakeup, read before its queue. When the queue is empty, the agent is marked as without work. */
  lastWakeup?: string;
}

interface Dependencies {
  redis: RedisClient;
  keys: Keys;
  fleet: Fleet;
  queue: TaskQueue;
  retention: AgentsConfig['retention'];
  logger: Logger;
}

export type TaskWriter = ReturnType<typeof createTaskWriter>;

/** Creates and changes tasks; nothing else writes them. */
export function createTaskWriter({ redis, keys, fleet, queue, retention, logger }: Dependencies) {
  const createTasks = loadScript(redis, new URL('./create-tasks-5.lua', import.meta.url));
  const changeTask = loadScript(redis, new URL('./change-task-9.lua', import.meta.url));
  const updateJob = createUpdateJob(redis, keys, queue);
  const trimEnded = createTrimEnded({ redis, keys, change, count: retention.count, logger });

  async function read(agentId: string, taskId: string): Promise<ReadTask> {
    const [agentKey, taskKey] = [keys.agent(agentId), keys.task(agentId, taskId)];
    const [agent, json, state] = await redis.mget([agentKey, taskKey, keys.taskState(agentId, taskId)]);
    // MGET returns nil for a key of another type, GET an error.
    if (!agent && (await redis.get(agentKey)) === null) throw agentNotFound();
    if (!json && (await redis.get(taskKey)) === null) throw taskNotFound();
    if (!agent || !json) return read(agentId, taskId);
    return { json, stateText: state ?? '', task: JSON.parse(json) as Task, state: parseState(state ?? '') };
  }

  /**
   * Applies a rule to a task by compare-and-set (CAS) of its state in one script, then updates queue, indexes, timers
   * and events. When another change came first, the rule runs again. It returns undefined for no change.
   * @throws 404 of agent or task, and what the rule throws
   */
  async function change(
    agentId: string,
    taskId: string,
    rule: (stored: StoredTask, now: number, json: string) => TaskChange | undefined,
    options: ChangeOptions = {},
  ): Promise<ChangedTask> {
    let { entry } = options;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await read(agentId, taskId);
      const now = Date.now();
      const wanted = await decide(() => rule(before, now, before.json));
      if (!wanted) return { ...before, changed: false, waiting: 0 };
      if (wanted.event || wanted.task) entry ??= await fleet.openOutboxEntry(agentId);
      const after = toStored(before, wanted);
      const event = wanted.event && toAgentEvent(agentId, before.task, after, wanted, retention.ms, now);
      const reply = await changeTask(
        keysOf(agentId, taskId),
        toArguments(agentId, taskId, before, after, wanted, event, now),
      );
      if (reply === 0) continue;
      if (reply === -1) throw agentNotFound();
      const [last, length, waiting, endedCount, statusEvent] = reply as [number, number, number, number, string];
      const events = [...(event ? [event] : []), ...(statusEvent ? [toStatusEvent(statusEvent)] : [])];
      const first = last - events.length + 1;
      await Promise.all([
        events.length > 0 && fleet.apply({ agentId, first, events, length }),
        updateJob(agentId, before.task, after),
      ]);
      if (entry !== undefined) {
        const ready = after?.task.status === 'pending' && earliestStart(after.task) <= now ? 1 : 0;
        const lastWakeupWhenIdle = waiting === 0 ? options.lastWakeup : undefined;
        await complete({ agentId, entry, ready, lastWakeupWhenIdle });
      }
      if (endedCount > retention.count) void trimEnded(agentId);
      return { ...before, ...after, changed: true, waiting };
    }
    throw new Error(`The task ${taskId} has too many concurrent changes`);

    /** Completes an entry of an earlier try when the rule returns no change this time. */
    async function decide(applyRule: () => TaskChange | undefined): Promise<TaskChange | undefined> {
      let wanted: TaskChange | undefined;
      try {
        wanted = applyRule();
        return wanted;
      } finally {
        if (!wanted && entry !== undefined && entry !== options.entry) await fleet.complete({ agentId, entry });
      }
    }
  }

  /** @throws 404 when the agent has been deleted meanwhile */
  async function complete(change: CompletedChange): Promise<void> {
    if (await fleet.complete(change)) throw agentNotFound();
  }

  function keysOf(agentId: string, taskId: string): string[] {
    return [
      keys.agent(agentId),
      keys.agentSeq(agentId),
      keys.agentEvents(agentId),
      keys.tasks(agentId),
      keys.ended(agentId),
      keys.task(agentId, taskId),
      keys.taskState(agentId, taskId),
      keys.attempts(agentId, taskId),
      queue.waitingKey(agentId),
    ];
  }

  return {
    change,

    /** Stores new tasks of one agent atomically; existing ones stay. @throws 404 of the agent */
    async create(agentId: string, tasks: readonly Task[]): Promise<string[]> {
      const now = Date.now();
      const records = tasks.map((task) => JSON.stringify(task));
      const events = tasks.map((task) => toCreatedEvent(task, retention.ms, now));
      const entry = await fleet.openOutboxEntry(agentId);
      const reply = await createTasks(
        [
          keys.agent(agentId),
          keys.agentSeq(agentId),
          keys.agentEvents(agentId),
          keys.tasks(agentId),
          keys.task(agentId, ''),
        ],
        [
          queue.metaKey(agentId),
          QUEUE_EVENTS_KEPT,
          ...tasks.flatMap(({ id }, at) => {
            const { json, due, tags } = events[at] as AgentEvent;
            return [id, records[at] as string, json, due as number, tags as string];
          }),
        ],
      );
      if (reply === -1) {
        await fleet.complete({ agentId, entry });
        throw agentNotFound();
      }
      const [last, length, ...isNew] = reply as number[] as [number, number, ...number[]];
      const fresh = tasks.filter((_, at) => isNew[at] === 1);
      await Promise.all([
        fleet.apply({
          agentId,
          first: last - fresh.length + 1,
          events: events.filter((_, at) => isNew[at] === 1),
          length,
        }),
        queue.addAll(agentId, fresh.map(toQueued)),
      ]);
      await complete({ agentId, entry, ready: fresh.filter((task) => earliestStart(task) <= now).length });
      return records;
    },
  };
}

type WrittenTask = StoredTask & { json: string };
type ReadTask = WrittenTask & { stateText: string };

/** The task after the change; undefined when it is deleted. */
function toStored(before: ReadTask, { task, state }: TaskChange): WrittenTask | undefined {
  if (state === null) return undefined;
  return { task: task ?? before.task, json: task ? JSON.stringify(task) : before.json, state };
}

function toArguments(
  agentId: string,
  taskId: string,
  before: ReadTask,
  after: WrittenTask | undefined,
  { task, agentStatus = 'idle', attempt }: TaskChange,
  event: AgentEvent | undefined,
  now: number,
): (string | number)[] {
  return [
    agentId,
    taskId,
    now,
    new Date(now).toISOString(),
    before.stateText,
    after ? JSON.stringify(after.state) : '',
    after && task ? after.json : '',
    before.task.status,
    after?.task.status ?? 'deleted',
    agentStatus,
    attempt ? JSON.stringify(attempt) : '',
    event?.json ?? '',
    event?.due ?? 0,
    event?.tags ?? SAME_TAGS,
  ];
}
