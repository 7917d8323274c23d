import { randomBytes } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis';
import { AGENT_EVENTS_KEPT, FLEET_EVENTS_KEPT } from '../events/event.ts';
import type { Keys } from '../keys.ts';
import { loadScript } from '../redis-script.ts';

/** Events read and taken in one step. */
const STEP = 500;
/** An agent's events are cut when there are this many more than are kept: a cut for each event would cost more than the event. */
const TRIM_SLACK = 100;

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
  /** Tags of the task as `encodeTags` gives them; undefined: as they were. */
  tags?: string;
  /** Type of the agent; undefined: as it was. */
  type?: string;
}

/** What a change has done to an agent, for the fleet to follow. */
export interface Followed {
  /** The entry that `open` gave, to be closed. */
  entry?: string;
  /** Number of the first event, and the events. */
  first?: number;
  events?: readonly AgentEvent[];
  /** How many events the agent has now. */
  length?: number;
  /** How many of its tasks have become ready to be worked on. */
  ready?: number;
  /** The rings of a turn in which the agent was found without more work. */
  idleAt?: string;
}

/** An agent whose turn it is. */
export interface Turn {
  agentId: string;
  rings: string;
  /** Of the outbox, already open. */
  entry: string;
}

/**
 * What is kept for all agents together: indexes, timers, the one stream of events, who has work. It follows the agents' own events,
 * each once and in order, so that a change that died halfway is made whole from them (docs/adr/0004).
 */
export interface Fleet {
  /** Opens an entry in the outbox, to be held from before a change until the fleet has followed it. */
  open(agentId: string): Promise<string>;
  close(entry: string): Promise<void>;
  follow(agentId: string, followed: Followed): Promise<void>;
  /** Follows all events of an agent that are still to be followed. */
  catchUp(agentId: string): Promise<void>;
  /** The agent of some types with work that was served longest ago. */
  takeTurn(types: readonly string[]): Promise<Turn | undefined>;
  /** Brings an agent's tasks under its type. */
  retype(agentId: string, taskIds: readonly string[]): Promise<void>;
  /** Takes tasks of a deleted agent out of everything. */
  forget(agentId: string, taskIds: readonly string[]): Promise<void>;
}

export function createFleet(redis: RedisClient, keys: Keys, logger: Logger): Fleet {
  const followAgent = loadScript(redis, new URL('./follow-agent-12.lua', import.meta.url));
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
    keys.outbox,
    keys.ready,
    keys.rings,
    keys.wake,
  ];

  /** Gives the number of the last event that the fleet has, or null when it has these now. */
  async function send(agentId: string, followed: Followed, mayMiss = false): Promise<number | null> {
    const { entry = '', first = 0, events = [], ready = 0, idleAt = '' } = followed;
    const head = [agentId, Date.now(), entry, ready, idleAt, FLEET_EVENTS_KEPT, mayMiss ? 1 : 0, first];
    const reply = await followAgent(followKeys, [...head, ...events.flatMap(toArguments)]);
    const [done, last] = reply as [number, number];
    return done === 1 ? null : last;
  }

  /** Follows what is in an agent's stream after `last`. */
  async function catchUpAfter(agentId: string, last: number): Promise<void> {
    for (let after = last; ; ) {
      const found = await redis.xrange(keys.agentEvents(agentId), `${after + 1}-0`, '+', 'COUNT', STEP);
      const [head] = found;
      if (!head) return;
      const first = numberOf(head[0]);
      const isGap = first > after + 1;
      if (isGap) logger.error({ agent_id: agentId, after, first }, 'events of an agent are missing');
      await send(agentId, { first, events: found.map(([, fields]) => fromFields(fields)) }, isGap);
      after = first + found.length - 1;
    }
  }

  return {
    async open(agentId) {
      const entry = `${agentId} ${createEntry()}`;
      await redis.zadd(keys.outbox, Date.now(), entry);
      return entry;
    },

    async close(entry) {
      await redis.zrem(keys.outbox, entry);
    },

    async follow(agentId, followed) {
      const last = await send(agentId, followed);
      if (last !== null) {
        // Others changed the agent before and have not come here yet.
        await catchUpAfter(agentId, last);
        await send(agentId, { ...followed, events: [], first: 0 });
      }
      if ((followed.length ?? 0) > AGENT_EVENTS_KEPT + TRIM_SLACK) {
        await redis.xtrim(keys.agentEvents(agentId), 'MAXLEN', AGENT_EVENTS_KEPT);
      }
    },

    async catchUp(agentId) {
      const place = await redis.hget(keys.agentPlaces, agentId);
      if (place !== 'removed') await catchUpAfter(agentId, Number.parseInt(place ?? '0', 10));
    },

    async takeTurn(types) {
      const entry = createEntry();
      const reply = await takeTurn([keys.ready, keys.rings, keys.outbox], [Date.now(), entry, ...types]);
      if (!reply) return undefined;
      const [agentId, rings] = reply as [string, string];
      return { agentId, rings, entry: `${agentId} ${entry}` };
    },

    async retype(agentId, taskIds) {
      await retypeTasks([keys.agentPlaces, keys.taskPlaces, tasksBase], [agentId, ...taskIds]);
    },

    async forget(agentId, taskIds) {
      await forgetTasks([keys.taskPlaces, tasksBase, keys.timers], [agentId, ...taskIds]);
    },
  };
}

function createEntry(): string {
  return randomBytes(9).toString('base64url');
}

function toArguments({ json, taskId, status, due = 0, tags, type = '' }: AgentEvent): (string | number)[] {
  return taskId === undefined ? [json, '', status, 0, type] : [json, taskId, status, due, tags ?? '-'];
}

/** The number of an event in a stream: its id is `<number>-0`. */
export function numberOf(streamId: string): number {
  return Number.parseInt(streamId, 10);
}

/** As the scripts have written them: `e` JSON, `t` task id, `s` status, `d` due, `g` tags, `y` type. */
function fromFields(fields: string[]): AgentEvent {
  const of = Object.fromEntries(
    Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]]),
  ) as Record<string, string>;
  const event = { json: of.e as string, status: of.s as string };
  if (of.t === undefined) return { ...event, type: of.y };
  return { ...event, taskId: of.t, due: Number(of.d), tags: of.g === '-' ? undefined : of.g };
}
