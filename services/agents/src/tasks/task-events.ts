import { toEventJson } from '../events/event.ts';
import type { AgentEvent } from '../fleet/fleet.ts';
import { encodePart } from '../keys.ts';
import type { Task } from './task.ts';
import type { StoredTask, TaskChange } from './task-change.ts';
import { dueOf } from './task-rules.ts';
import { NEW_STATE } from './task-state.ts';

/** What a change tells, and what the fleet has to know of it. */
export function toAgentEvent(
  agentId: string,
  before: Task,
  after: StoredTask | undefined,
  { event }: TaskChange,
  retentionMs: number,
  now: number,
): AgentEvent {
  const status = after?.task.status ?? 'deleted';
  const { type, data } = event as NonNullable<TaskChange['event']>;
  const at = new Date(now).toISOString();
  return {
    json: toEventJson({ type, agentId, taskId: before.id, status, at, data }),
    taskId: before.id,
    status,
    due: after ? dueOf(after, retentionMs, now) : 0,
    tags: type === 'task.replaced' && after ? encodeTags(after.task.tags) : undefined,
  };
}

export function toCreatedEvent(task: Task, retentionMs: number, now: number): AgentEvent {
  const { id, agent_id, status, created_at } = task;
  return {
    json: toEventJson({ type: 'task.created', agentId: agent_id, taskId: id, status, at: created_at }),
    taskId: id,
    status,
    due: dueOf({ task, state: NEW_STATE }, retentionMs, now),
    tags: encodeTags(task.tags),
  };
}

/** The event that the script has made of a change of the agent's status. */
export function toStatusEvent(json: string): AgentEvent {
  return { json, status: (JSON.parse(json) as { status: string }).status };
}

/** Tags as they stand in the names of indexes, each once. */
function encodeTags(tags: string[] | null): string {
  return [...new Set(tags ?? [])].map(encodePart).join(' ');
}
