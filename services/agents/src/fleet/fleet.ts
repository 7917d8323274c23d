import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisAway, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import { AGENT_EVENTS_KEPT, FLEET_EVENTS_KEPT, toEventJson } from '../events/event.ts';
import { numberOf, toFields } from '../events/stream-entry.ts';
import { createId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import { perTurn } from '../per-turn.ts';
import type { TaskQueue } from '../queue/task-queue.ts';

/** Events read in one step. */
const STEP = 100;
/** Places in indexes that one step writes, so that no other command waits long: 1,000 take about 10 ms. */
const WRITES_IN_STEP = 1_000;
/** Tasks moved or forgotten in one step: each may stand in 64 places. */
const TASKS_IN_STEP = 25;
/** Entries of the outbox in one step. */
const ENTRIES_IN_STEP = 500;
/** An agent's events are cut when there are this many more than are kept: a cut for each event would cost more than the event. */
const TRIM_SLACK = 100;
/** In the place of tags: they are as they were. No encoded tag looks like it. */
export const SAME_TAGS = '=';
/** What a step of the script says of an agent whose events are all here now. */
const DONE = -1;

/** One of an agent's events, with what the fleet has to know of it. */
export interface AgentEvent {
  /** As it is served, without its id. */
  json: string;
  /** Of the task; undefined for one of the agent's own. */
  taskId?: string;
  /** Of the task or agent after it, `deleted`, or `''`: as it was. */
  status: string;
  /** When something is due for the task, in ms; 0: nothing. */
  due?: number;
  /** Tags of the task, encoded and joined by blanks; undefined: as they were. */
  tags?: string;
  /** Type of the agent; undefined: as it was. */
  type?: string;
}

/** Events of an agent as the script that made the change has numbered them. */
interface NumberedEvents {
  agentId: string;
  /** Number of the first. */
  first: number;
  events: readonly AgentEvent[];
  /** How many events the agent has now. */
  length: number;
}

/** What there is to say when a change is done. */
export interface Settled {
  agentId: string;
  /** The entry that `open` gave, to be closed. */
  entry?: string;
  /** How many of the agent's tasks have become ready to be worked on. */
  ready?: number;
  /** The agent's last ring before it was found without more work. */
  idleAt?: string;
}

/** An agent whose turn it is. */
interface Turn {
  agentId: string;
  /** Its last ring; `''`: there was none. */
  lastWakeup: string;
  /** Of the outbox, already open. */
  entry: string;
}

/**
 * What is kept for all agents together: indexes, timers, the one stream of events, who has work. It follows the agents' own events,
 * each once and in order, so that a change that died halfway is made whole from them (docs/adr/0004).
 */
export interface Fleet {
  /** Opens an entry in the outbox, to be held from before a change until all that follows from it is done. */
  open(agentId: string): Promise<string>;
  /** To be called as soon as the events are there, so that those of one agent come in order. */
  follow(events: NumberedEvents): Promise<void>;
  /** Follows all events of an agent that are still to be followed. */
  catchUp(agentId: string): Promise<void>;
  /**
   * Ends a change: when its events are followed, and its job is where it belongs. Gives whether the agent was removed meanwhile; what
   * came to its queue then is gone too.
   */
  settle(settled: Settled): Promise<boolean>;
  /** With which work came to an agent last: to be read before work is looked for. */
  readLastWakeup(agentId: string): Promise<string | undefined>;
  /** The agent of some types with work that was served longest ago. */
  takeTurn(types: readonly string[]): Promise<Turn | undefined>;
  /** Has a task looked at by this time, in ms, if not before. */
  remind(agentId: string, taskId: string, at: number): Promise<void>;
  /** Brings an agent's tasks under its type. */
  retype(agentId: string, taskIds: readonly string[]): Promise<void>;
  /** Takes tasks of a deleted agent out of everything. */
  forget(agentId: string, taskIds: readonly string[]): Promise<void>;
}

export function createFleet(redis: RedisClient, keys: Keys, queue: TaskQueue, logger: Logger): Fleet {
  const followAgents = loadScript(redis, new URL('./follow-agents-10.lua', import.meta.url));
  const settleChanges = loadScript(redis, new URL('./settle-5.lua', import.meta.url));
  const takeTurn = loadScript(redis, new URL('./take-turn-3.lua', import.meta.url));
  const retypeTasks = loadScript(redis, new URL('./retype-tasks-3.lua', import.meta.url));
  const forgetTasks = loadScript(redis, new URL('./forget-tasks-3.lua', import.meta.url));
  const tasksBase = keys.fleetTasks({});
  const followKeys = [
    keys.agentPlaces,
    keys.removed,
    keys.agents(),
    keys.taskPlaces,
    tasksBase,
    keys.timers,
    keys.fleetEvents,
    keys.fleetSeq,
    keys.ready,
    keys.lastWakeups,
  ];
  const settleKeys = [keys.agentPlaces, keys.outbox, keys.ready, keys.lastWakeups, keys.wakeups];
  const createEntry = entryFactory();
  const mayRetry = (error: unknown) => !isRedisAway(error);
  const small = { maxWeight: ENTRIES_IN_STEP, weigh: () => 1, mayRetry };

  const openEntry = perTurn(async (entries: readonly string[]) => {
    const now = Date.now();
    await redis.zadd(keys.outbox, ...entries.flatMap((entry) => [now, entry]));
    return entries;
  }, small);

  /** Gives for each agent the number of the last event that the fleet has, or DONE. */
  const followAll = perTurn(
    async (all: readonly FollowedAgent[]) => {
      const head = [Date.now(), FLEET_EVENTS_KEPT];
      return (await followAgents(followKeys, [...head, ...all.flatMap(toArguments)])) as number[];
    },
    {
      maxWeight: WRITES_IN_STEP,
      weigh: ({ events }) => events.reduce((sum, event) => sum + weigh(event), 0),
      mayRetry,
    },
  );

  const settleAll = perTurn(async (all: readonly Settled[]) => {
    const values = all.flatMap(({ agentId, entry = '', ready = 0, idleAt = '' }) => [agentId, entry, ready, idleAt]);
    return ((await settleChanges(settleKeys, values)) as number[]).map((removed) => removed === 1);
  }, small);

  /** Follows what is in an agent's stream after `last`. */
  async function catchUpAfter(agentId: string, last: number): Promise<void> {
    for (let after = last; ; ) {
      const found = await redis.xrange(keys.agentEvents(agentId), `${after + 1}-0`, '+', 'COUNT', STEP);
      const [head] = found;
      if (!head) return;
      const first = numberOf(head[0]);
      const events = found.map(([, fields]) => fromFields(fields));
      if (first > after + 1) {
        // Others may have followed and cut them meanwhile.
        const now = await readFollowed(agentId);
        if (now === undefined) return;
        if (now < first - 1) await skip(agentId, now, first - 1);
      }
      await followInSteps(agentId, first, events);
      after = first + found.length - 1;
    }
  }

  /** Goes on at `to` after events that are missing for ever: what the agent is now stands for them. */
  async function skip(agentId: string, from: number, to: number): Promise<void> {
    logger.error({ agent_id: agentId, from, to }, 'events of an agent are missing');
    const [record, place] = await Promise.all([redis.get(keys.agent(agentId)), redis.hget(keys.agentPlaces, agentId)]);
    // Of a deleted one, what it was: its deletion is still to come. One without either is nowhere to be taken from.
    const [, placedStatus, placedType] = place?.split(' ') ?? [];
    const was = { status: placedStatus, type: placedType };
    const { status, type } = record ? (JSON.parse(record) as typeof was) : was;
    if (status === undefined || type === undefined) return;
    const json = toEventJson({ type: 'agent.status', agentId, status, at: new Date().toISOString() });
    await followAll({ agentId, first: to, mayMiss: true, events: [{ json, status, type }] });
  }

  /** The number of an agent's last event that is followed; undefined for an agent that was removed. */
  async function readFollowed(agentId: string): Promise<number | undefined> {
    const place = await redis.hget(keys.agentPlaces, agentId);
    return place === 'removed' ? undefined : Number.parseInt(place ?? '0', 10);
  }

  /** Gives what the last step says. */
  async function followInSteps(agentId: string, first: number, events: readonly AgentEvent[]): Promise<number> {
    const steps: FollowedAgent[] = [];
    let weight = WRITES_IN_STEP;
    for (const [at, event] of events.entries()) {
      weight += weigh(event);
      if (weight > WRITES_IN_STEP) {
        steps.push({ agentId, first: first + at, mayMiss: false, events: [] });
        weight = weigh(event);
      }
      steps.at(-1)?.events.push(event);
    }
    const replies = await Promise.all(steps.map(followAll));
    return replies.at(-1) ?? DONE;
  }

  return {
    open: (agentId) => openEntry(`${agentId} ${createEntry()}`),

    async follow({ agentId, first, events, length }) {
      const last = await followInSteps(agentId, first, events);
      // Another replica changed the agent before and has not come here yet.
      if (last !== DONE) await catchUpAfter(agentId, last);
      if (length > AGENT_EVENTS_KEPT + TRIM_SLACK) {
        // By number: later events may be there that nobody has followed yet.
        const kept = first + events.length - AGENT_EVENTS_KEPT;
        if (kept > 0) await redis.xtrim(keys.agentEvents(agentId), 'MINID', `${kept}-0`);
      }
    },

    async catchUp(agentId) {
      const last = await readFollowed(agentId);
      if (last !== undefined) await catchUpAfter(agentId, last);
    },

    async settle(settled) {
      const isRemoved = await settleAll(settled);
      if (isRemoved) await queue.obliterate(settled.agentId);
      return isRemoved;
    },

    readLastWakeup: async (agentId) => (await redis.hget(keys.lastWakeups, agentId)) ?? undefined,

    async takeTurn(types) {
      const entry = createEntry();
      const reply = await takeTurn([keys.ready, keys.lastWakeups, keys.outbox], [Date.now(), entry, ...types]);
      if (!reply) return undefined;
      const [agentId, lastWakeup] = reply as [string, string];
      return { agentId, lastWakeup, entry: `${agentId} ${entry}` };
    },

    async remind(agentId, taskId, at) {
      await redis.zadd(keys.timers, 'XX', 'LT', at, `${agentId} ${taskId}`);
    },

    async retype(agentId, taskIds) {
      for (const step of inSteps(taskIds)) {
        await retypeTasks([keys.agentPlaces, keys.taskPlaces, tasksBase], [agentId, ...step]);
      }
    },

    async forget(agentId, taskIds) {
      for (const step of inSteps(taskIds)) {
        await forgetTasks([keys.taskPlaces, tasksBase, keys.timers], [agentId, ...step]);
      }
    },
  };
}

function* inSteps(taskIds: readonly string[]): Generator<string[]> {
  for (let at = 0; at < taskIds.length; at += TASKS_IN_STEP) yield taskIds.slice(at, at + TASKS_IN_STEP);
}

/** How many places in indexes an event may write. */
function weigh({ tags = '' }: AgentEvent): number {
  return 8 + (tags === '' ? 0 : 6 * tags.split(' ').length);
}

type FollowedAgent = Omit<NumberedEvents, 'length' | 'events'> & { mayMiss: boolean; events: AgentEvent[] };

/** Names no two changes alike, of this process or another. */
function entryFactory(): () => string {
  const process = createId();
  let count = 0;
  return () => `${process}.${count++}`;
}

function toArguments({ agentId, first, mayMiss, events }: FollowedAgent): (string | number)[] {
  const values: (string | number)[] = [agentId, first, mayMiss ? 1 : 0, events.length];
  for (const { json, taskId, status, due = 0, tags, type = '' } of events) {
    if (taskId === undefined) values.push(json, '', status, 0, type);
    else values.push(json, taskId, status, due, tags ?? SAME_TAGS);
  }
  return values;
}

/** As the scripts have written them: `e` JSON, `t` task id, `s` status, `d` due, `g` tags, `y` type. */
function fromFields(fields: string[]): AgentEvent {
  const of = toFields(fields);
  const event = { json: of.e as string, status: of.s as string };
  if (of.t === undefined) return { ...event, type: of.y };
  return { ...event, taskId: of.t, due: Number(of.d), tags: of.g === SAME_TAGS ? undefined : of.g };
}
