import { toEventJson } from '../events/event.ts';
import type { AgentEvent } from '../fleet/agent-events.ts';
import { encodePart } from '../keys.ts';
import type { Task } from './task.ts';
import { nextDeadline } from './task-rules.ts';
import { NEW_STATE } from './task-state.ts';
import type { StoredTask, TaskChange } from './task-transitions.ts';

/** The event of a change. */
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
    due: after ? nextDeadline(after, retentionMs, now) : 0,
    tags: type === 'task.replaced' && after ? encodeTags(after.task.tags) : undefined,
  };
}

export function toCreatedEvent(task: Task, retentionMs: number, now: number): AgentEvent {
  const { id, agent_id, status, created_at } = task;
  return {
    json: toEventJson({ type: 'task.created', agentId: agent_id, taskId: id, status, at: created_at }),
    taskId: id,
    status,
    due: nextDeadline({ task, state: NEW_STATE }, retentionMs, now),
    tags: encodeTags(task.tags),
  };
}

/** Parses the status event that the script created for the agent. */
export function toStatusEvent(json: string): AgentEvent {
  return { json, status: (JSON.parse(json) as { status: string }).status };
}

/** Encodes distinct tags for the names of indexes. */
function encodeTags(tags: string[] | null): string {
  return [...new Set(tags ?? [])].map(encodePart).join(' ');
}
