import { z } from 'zod';

/** Events kept per agent and for the fleet. */
export const AGENT_EVENTS_KEPT = 1_000;
export const FLEET_EVENTS_KEPT = 100_000;

const EVENT_TYPES = [
  'agent.created',
  'agent.replaced',
  'agent.deleted',
  'agent.status',
  'task.created',
  'task.replaced',
  'task.leased',
  'task.progress',
  'task.released',
  'task.retry',
  'task.completed',
  'task.failed',
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

interface EventFields {
  type: EventType;
  agentId: string;
  taskId?: string;
  status?: string;
  at: string;
  data?: Record<string, unknown>;
}

/** The JSON of an event without its id, which depends on the stream. */
export function toEventJson({ type, agentId, taskId, status, at, data }: EventFields): string {
  return JSON.stringify({ type, agent_id: agentId, task_id: taskId, status, at, data });
}

/** Adds the id to the JSON of an event. */
export function withEventId(id: number, json: string): string {
  return `{"id":"${id}",${json.slice(1)}`;
}

const ENDS = new Set(['completed', 'failed', 'cancelled', 'deleted']);

/** Whether an event with this status is the last one of its task. */
export function endsTask(status: string | undefined): boolean {
  return status !== undefined && ENDS.has(status);
}
