import type { Task } from '@agent-fleet/sdk';

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
  | 'cost'
  | 'cancel_requested_at'
  | 'started_at'
  | 'completed_at'
  | 'created_at'
  | 'updated_at'
>;

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

/** The rows after an answer. While they are held, the same tasks stay in their places, up to date; others wait. */
export function takeAnswer(before: TaskRows | undefined, { key, rows }: Answer, isHeld: boolean): TaskRows {
  if (!isHeld || before?.key !== key) return { key, rows, waiting: 0 };
  const latest = new Map(rows.map((row) => [row.id, row]));
  const kept = before.rows.map((row) => latest.get(row.id) ?? row);
  return { key, rows: kept, waiting: rows.length - kept.filter(({ id }) => latest.has(id)).length };
}

export function isEnded(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
