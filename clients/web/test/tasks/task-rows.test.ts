import { expect, test } from '@jest/globals';
import { type TaskRow, takeAnswer } from '../../src/tasks/task-rows.ts';

const row = (id: string, status: TaskRow['status'] = 'pending') => ({ id, status }) as TaskRow;
const answer = (rows: readonly TaskRow[], key = 'k') => ({ key, rows });
const shown = (...rows: TaskRow[]) => takeAnswer(undefined, answer(rows), false);
const ids = ({ rows }: { rows: readonly TaskRow[] }) => rows.map(({ id }) => id);

test('rows that are held stay in their places, are brought up to date, and others are counted', () => {
  const before = shown(row('two'), row('one'));
  const changed = row('one', 'running');
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
