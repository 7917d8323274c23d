import { expect, test } from '@jest/globals';
import { isPartMissing } from '../../src/pages/task/task-record.ts';

const failure = new Error('unavailable');

test('the result of a task that has ended is missing until it has come', () => {
  expect(isPartMissing('completed', { data: { status: 'running' }, error: undefined })).toBe(true);
  expect(isPartMissing('completed', { data: { status: 'running' }, error: failure })).toBe(true);
  expect(isPartMissing('completed', { data: { status: 'completed' }, error: undefined })).toBe(false);
  expect(isPartMissing('running', { data: { status: 'pending' }, error: undefined })).toBe(false);
});

test('a task that could not be loaded is missing its input, one that is on its way is not', () => {
  expect(isPartMissing('pending', { data: undefined, error: failure })).toBe(true);
  expect(isPartMissing('pending', { data: undefined, error: undefined })).toBe(false);
  expect(isPartMissing(undefined, { data: undefined, error: failure })).toBe(false);
});
