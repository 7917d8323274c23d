import type { Event } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import { type TaskRow, takeAnswer, takeEvents } from '../../src/tasks/task-rows.ts';

const at = (second: number) => `2026-11-25T10:00:${String(second).padStart(2, '0')}.000Z`;

function row(id: string, fields: Partial<TaskRow> = {}): TaskRow {
  return {
    id,
    agent_id: 'a',
    message: id,
    status: 'pending',
    priority: 5,
    scheduled_at: null,
    next_attempt_at: null,
    attempt: 0,
    max_attempts: 3,
    error: null,
    progress: null,
    tags: null,
    cancel_requested_at: null,
    started_at: null,
    completed_at: null,
    created_at: at(0),
    updated_at: at(0),
    ...fields,
  };
}

const answer = (rows: readonly TaskRow[], key = 'k') => ({ key, rows });
const shown = (...rows: TaskRow[]) => takeAnswer(undefined, answer(rows), false);
const ids = ({ rows }: { rows: readonly TaskRow[] }) => rows.map(({ id }) => id);
const event = (type: Event['type'], second: number, more: Partial<Event> = {}): Event => ({
  id: '1',
  type,
  agent_id: 'a',
  task_id: 'one',
  at: at(second),
  ...more,
});

test('rows that are held stay in their places, are brought up to date, and others are counted', () => {
  const before = shown(row('two'), row('one'));
  const changed = row('one', { status: 'running', updated_at: at(2) });
  const after = takeAnswer(before, answer([row('four'), row('three'), changed]), true);
  expect(ids(after)).toEqual(['two', 'one']);
  expect(after.rows[1]?.status).toBe('running');
  expect(after.waiting).toBe(2);
});

test('rows that are not held are those of the answer', () => {
  const after = takeAnswer(shown(row('one')), answer([row('two'), row('one')]), false);
  expect(ids(after)).toEqual(['two', 'one']);
  expect(after.waiting).toBe(0);
});

test('the answer to another query is shown even while rows are held', () => {
  expect(ids(takeAnswer(shown(row('one')), answer([row('two')], 'other'), true))).toEqual(['two']);
});

test('an answer that was made before an event does not undo it', () => {
  const running = takeEvents(shown(row('one')), [event('task.leased', 3, { status: 'running', data: { attempt: 1 } })]);
  const after = takeAnswer(running, answer([row('one', { updated_at: at(1) })]), false);
  expect(after.rows[0]).toMatchObject({ status: 'running', attempt: 1, started_at: at(3) });
});

test('an event that is older than the row changes nothing', () => {
  const before = shown(row('one', { status: 'completed', updated_at: at(5) }));
  expect(takeEvents(before, [event('task.leased', 3, { status: 'running' })])).toBe(before);
});

test('events of other tasks change nothing', () => {
  const before = shown(row('one'));
  expect(takeEvents(before, [event('task.completed', 3, { task_id: 'two' })])).toBe(before);
});

test('a row follows a task through its events', () => {
  const progress = { percent: 40, message: null };
  const steps = [
    event('task.leased', 1, { status: 'running', data: { attempt: 1, worker_id: 'w' } }),
    event('task.progress', 2, { data: { progress } }),
    event('task.cancel_requested', 3),
    event('task.cancelled', 4, { status: 'cancelled' }),
    event('task.deleted', 5, { status: 'deleted' }),
  ];
  let rows = shown(row('one'));
  const seen = steps.map((step) => {
    rows = takeEvents(rows, [step]);
    return rows.rows[0];
  });
  expect(seen[1]).toMatchObject({ status: 'running', progress });
  expect(seen[2]).toMatchObject({ cancel_requested_at: at(3) });
  expect(seen[3]).toMatchObject({ status: 'cancelled', completed_at: at(4) });
  expect(seen[4]).toMatchObject({ isDeleted: true, status: 'cancelled' });
});

test('a retry says when the next attempt is', () => {
  const before = shown(row('one', { status: 'running' }));
  const retry = event('task.retry', 3, { status: 'pending', data: { attempt: 1, next_attempt_at: at(9) } });
  expect(takeEvents(before, [retry]).rows[0]).toMatchObject({ status: 'pending', next_attempt_at: at(9) });
});
