import type { components, Task } from '@agent-fleet/sdk';

export type Attempt = components['schemas']['Attempt'];
export type TimedTask = Pick<Task, 'status' | 'created_at' | 'scheduled_at' | 'next_attempt_at' | 'completed_at'>;

/** In ms since 1970. */
export interface Span {
  from: number;
  to: number;
}

export interface TimelineRow {
  kind: Attempt['outcome'] | 'scheduled' | 'waiting' | 'input_required' | 'retry_delay';
  /** Between the attempt before and this one. */
  gap: (Span & { isRetryDelay: boolean }) | undefined;
  span: Span;
  attempt: Attempt | undefined;
  /** Its end is the present. */
  isGoingOn: boolean;
}

/** A shorter pause is not worth a row or a word. */
export const MIN_GAP_MS = 1_000;

/** What a task did, oldest first: waiting, its attempts, and waiting for the next one. */
export function toTimelineRows(task: TimedTask, attempts: readonly Attempt[], now: number): TimelineRow[] {
  const created = Date.parse(task.created_at);
  const latest = Math.max(now, created, ...attempts.map(({ started_at }) => Date.parse(started_at)));
  const end = task.completed_at === null ? latest : Date.parse(task.completed_at);
  const rows = rowsBefore(task, created, attempts[0] ? Date.parse(attempts[0].started_at) : end);
  for (const [index, attempt] of attempts.entries()) {
    const from = Date.parse(attempt.started_at);
    const span = { from, to: attempt.ended_at === null ? end : Date.parse(attempt.ended_at) };
    const kind = attempt.outcome === 'running' && task.status === 'input_required' ? task.status : attempt.outcome;
    rows.push({ kind, gap: gapBetween(attempts[index - 1], from), span, attempt, isGoingOn: false });
  }
  rows.push(...rowAfter(task, attempts.at(-1), end));
  const last = task.completed_at === null ? rows.at(-1) : undefined;
  return rows.map((row) => (row === last ? { ...row, isGoingOn: true } : row));
}

function rowsBefore({ scheduled_at }: TimedTask, created: number, end: number): TimelineRow[] {
  const due = scheduled_at === null ? created : Math.min(Date.parse(scheduled_at), end);
  const rows: TimelineRow[] = [];
  if (due > created) rows.push(idleRow('scheduled', created, due));
  if (end > due || rows.length === 0) rows.push(idleRow('waiting', Math.max(created, due), Math.max(end, created)));
  return rows;
}

function gapBetween(before: Attempt | undefined, to: number): TimelineRow['gap'] {
  const from = Date.parse(before?.ended_at ?? '');
  return to > from ? { from, to, isRetryDelay: before?.outcome === 'failed' } : undefined;
}

function rowAfter(task: TimedTask, last: Attempt | undefined, end: number): TimelineRow[] {
  const from = Date.parse(last?.ended_at ?? '');
  const isAsking = task.status === 'input_required';
  const isWaiting = (task.status === 'pending' || isAsking) && end >= from;
  if (!isWaiting && !(end - from >= MIN_GAP_MS)) return [];
  if (isAsking) return [idleRow('input_required', from, end)];
  const isDelayed = task.next_attempt_at !== null && Date.parse(task.next_attempt_at) > end;
  return [idleRow(isDelayed || last?.outcome === 'failed' ? 'retry_delay' : 'waiting', from, end)];
}

function idleRow(
  kind: 'scheduled' | 'waiting' | 'input_required' | 'retry_delay',
  from: number,
  to: number,
): TimelineRow {
  return { kind, gap: undefined, span: { from, to }, attempt: undefined, isGoingOn: false };
}

interface Place {
  /** In percent of the width. */
  left: number;
  width: number;
}

/** Where a span lies on the scale of all rows. */
export function placeOf({ from, to }: Span, rows: readonly TimelineRow[]): Place {
  const start = rows[0]?.span.from ?? from;
  const length = Math.max(1, ...rows.map(({ span }) => span.to - start));
  return { left: ((from - start) / length) * 100, width: (Math.max(0, to - from) / length) * 100 };
}
