import { z } from 'zod';

export const EVENT_TYPES = [
  'agent.created',
  'agent.replaced',
  'agent.deleted',
  'agent.status',
  'agent.paused',
  'agent.resumed',
  'agent.definition_replaced',
  'agent.definition_deleted',
  'budget.warning',
  'budget.reached',
  'task.created',
  'task.replaced',
  'task.leased',
  'task.progress',
  'task.released',
  'task.retry',
  'task.parked',
  'task.completed',
  'task.failed',
  'task.input_required',
  'task.input_answered',
  'task.input_expired',
  'task.input_withdrawn',
  'task.suspended',
  'task.cancel_requested',
  'task.cancelled',
  'task.deleted',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A served event. */
export const eventSchema = z
  .strictObject({
    id: z.string().meta({ description: 'Increases within its stream. Resume after it by `after` or `Last-Event-ID`.' }),
    type: z.enum([...EVENT_TYPES, 'resync']).meta({
      description: '`resync`: events before this one are no longer kept; read the records again.',
    }),
    agent_id: z.string().optional(),
    task_id: z.string().optional(),
    status: z.string().optional().meta({ description: 'Status of the task or agent after the event.' }),
    at: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Event' });

/** An event as stored, without its number, which depends on the stream. */
export interface StoredEvent {
  type: string;
  agentId: string;
  /** Of the fleet's events: the type of the agent at that time. */
  agentType: string;
  /** `''` for an event of the agent itself. */
  taskId: string;
  /** Status of the task or agent after the event; `''` when unchanged. */
  status: string;
  /** In ms. */
  at: number;
  /** JSON text; `''` when there is none. */
  data: string;
}

/** Converts the fields of a stream entry from Redis' list of names and values. */
export function toFields(list: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) fields[list[at] as string] = list[at + 1] as string;
  return fields;
}

/** Reads an entry of the stream of this agent, or of the fleet, whose entries name the agent. */
export function toEvent(list: readonly string[], ofAgent?: string): StoredEvent {
  const { a = '', k = '', y = '', t = '', s = '', m, d = '' } = toFields(list);
  return { type: y, agentId: ofAgent ?? a, agentType: k, taskId: t, status: s, at: Number(m), data: d };
}

/** The served JSON of an event. */
export function toEventJson(number: number, { type, agentId, taskId, status, at, data }: StoredEvent): string {
  const event = {
    id: String(number),
    type,
    agent_id: agentId || undefined,
    task_id: taskId || undefined,
    status: status || undefined,
    at: new Date(at).toISOString(),
  };
  const json = JSON.stringify(event);
  return data === '' ? json : `${json.slice(0, -1)},"data":${data}}`;
}

const ENDS = new Set(['completed', 'failed', 'cancelled', 'deleted']);

/** Whether an event with this status is the last one of its task. */
export function endsTask(status: string): boolean {
  return ENDS.has(status);
}
