import { toFields } from '../events/stream-entry.ts';

/** Stands for unchanged tags. No encoded tag equals it. */
export const SAME_TAGS = '=';
/** Index entries that one script call writes, so that other commands do not wait long: 1,000 take about 10 ms. */
export const MAX_WRITES = 1_000;

/** An event of an agent with the fields that the fleet's indexes need. */
export interface AgentEvent {
  /** The served JSON without its id. */
  json: string;
  /** Undefined for an event of the agent itself. */
  taskId?: string;
  /** The status of the task or agent after the event, `deleted`, or `''` when unchanged. */
  status: string;
  /** The task's next deadline in ms; 0: none. */
  due?: number;
  /** The task's tags, encoded and joined by blanks; undefined when unchanged. */
  tags?: string;
  /** The agent's type; undefined when unchanged. */
  type?: string;
}

/** Consecutive events of one agent, as one script call applies them. */
export interface AgentEvents {
  agentId: string;
  /** Number of the first event. */
  first: number;
  /** Whether events before the first may be lost for ever. */
  mayMiss: boolean;
  events: AgentEvent[];
}

/** Upper bound of the index entries that an event writes. */
function weighEvent({ tags = '' }: AgentEvent): number {
  return 8 + (tags === '' ? 0 : 6 * tags.split(' ').length);
}

export function weigh({ events }: AgentEvents): number {
  return events.reduce((sum, event) => sum + weighEvent(event), 0);
}

/** Splits events into calls of at most `MAX_WRITES`. */
export function inCalls(agentId: string, first: number, events: readonly AgentEvent[]): AgentEvents[] {
  const calls: AgentEvents[] = [];
  let weight = MAX_WRITES;
  for (const [at, event] of events.entries()) {
    weight += weighEvent(event);
    if (weight > MAX_WRITES) {
      calls.push({ agentId, first: first + at, mayMiss: false, events: [] });
      weight = weighEvent(event);
    }
    calls.at(-1)?.events.push(event);
  }
  return calls;
}

/** ARGV of apply-events-10.lua. */
export function toArguments({ agentId, first, mayMiss, events }: AgentEvents): (string | number)[] {
  const values: (string | number)[] = [agentId, first, mayMiss ? 1 : 0, events.length];
  for (const { json, taskId, status, due = 0, tags, type = '' } of events) {
    if (taskId === undefined) values.push(json, '', status, 0, type);
    else values.push(json, taskId, status, due, tags ?? SAME_TAGS);
  }
  return values;
}

/** Reads a stream entry of an agent: `e` JSON, `s` status; of a task also `t` id, `d` due, `g` tags, else `y` type. */
export function fromFields(list: string[]): AgentEvent {
  const fields = toFields(list);
  const event = { json: fields.e as string, status: fields.s as string };
  if (fields.t === undefined) return { ...event, type: fields.y };
  return { ...event, taskId: fields.t, due: Number(fields.d), tags: fields.g === SAME_TAGS ? undefined : fields.g };
}
