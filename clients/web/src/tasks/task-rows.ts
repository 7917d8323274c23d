import type { Event, Task } from '@agent-fleet/sdk';
import { TASK_STATUSES } from '../text/statuses.ts';

export type TaskRow = Pick<
  Task,
  | 'id'
  | 'agent_id'
  | 'message'
  | 'status'
  | 'priority'
  | 'scheduled_at'
  | 'next_attempt_at'
  | 'attempt'
  | 'max_attempts'
  | 'error'
  | 'progress'
  | 'tags'
  | 'cancel_requested_at'
  | 'started_at'
  | 'completed_at'
  | 'created_at'
  | 'updated_at'
> & { isDeleted?: boolean };

/** The rows that are shown. */
export interface TaskRows {
  /** Of the query that they belong to. */
  key: string;
  rows: readonly TaskRow[];
  /** Tasks of the last answer that are not shown. */
  waiting: number;
}

interface Answer {
  key: string;
  rows: readonly TaskRow[];
}

/**
 * The rows after an answer. While they are held, the same tasks stay in the same places, with what the answer says
 * about them; others wait. What is shown of a task never becomes older.
 */
export function takeAnswer(before: TaskRows | undefined, { key, rows }: Answer, isHeld: boolean): TaskRows {
  if (before?.key !== key) return { key, rows, waiting: 0 };
  if (!isHeld) {
    const shown = byId(before.rows);
    return { key, rows: rows.map((row) => newer(row, shown.get(row.id))), waiting: 0 };
  }
  const latest = byId(rows);
  const kept = before.rows.map((row) => newer(row, latest.get(row.id)));
  return { key, rows: kept, waiting: rows.length - kept.filter(({ id }) => latest.has(id)).length };
}

/** The rows after events; the same object if none concerns them. */
export function takeEvents(before: TaskRows, events: readonly Event[]): TaskRows {
  const shown = byId(before.rows);
  let isChanged = false;
  for (const event of events) {
    const row = event.task_id === undefined ? undefined : shown.get(event.task_id);
    if (!row || event.at <= row.updated_at) continue;
    shown.set(row.id, applyEvent(row, event));
    isChanged = true;
  }
  return isChanged ? { ...before, rows: before.rows.map((row) => shown.get(row.id) ?? row) } : before;
}

function applyEvent(row: TaskRow, { type, status, at, data }: Event): TaskRow {
  const changed = { ...row, updated_at: at, status: toStatus(status) ?? row.status };
  if (type === 'task.leased') return { ...changed, ...toAttempt(data), started_at: at, progress: null };
  if (type === 'task.progress') return { ...changed, progress: toProgress(data) ?? row.progress };
  if (type === 'task.cancel_requested') return { ...changed, cancel_requested_at: at };
  if (type === 'task.retry') return { ...changed, next_attempt_at: toText(data?.next_attempt_at) };
  if (type === 'task.deleted') return { ...changed, isDeleted: true };
  return isEnded(changed.status) ? { ...changed, completed_at: at } : changed;
}

export function isEnded(status: string): boolean {
  return status !== 'pending' && status !== 'running';
}

function toStatus(status: string | undefined): TaskRow['status'] | undefined {
  return TASK_STATUSES.find((one) => one === status);
}

function toAttempt(data: Event['data']): Partial<TaskRow> {
  return typeof data?.attempt === 'number' ? { attempt: data.attempt } : {};
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function toProgress(data: Event['data']): TaskRow['progress'] | undefined {
  return data?.progress as TaskRow['progress'] | undefined;
}

function byId(rows: readonly TaskRow[]): Map<string, TaskRow> {
  return new Map(rows.map((row) => [row.id, row]));
}

function newer(one: TaskRow, other: TaskRow | undefined): TaskRow {
  return other && other.updated_at > one.updated_at ? other : one;
}
