import type { Task } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import {
  NEW_DRAFT,
  toDraft,
  toDraftErrors,
  toReplacement,
  toTaskInput,
} from '../../src/pages/tasks/form/task-draft.ts';

const TASK: Task = {
  id: 't',
  agent_id: 'a',
  message: 'Do it',
  input: { deep: [1, 2] },
  status: 'pending',
  priority: 3,
  scheduled_at: '2026-11-25T10:00:12.345Z',
  expires_at: '2026-11-26T10:00:12.345Z',
  timeout_seconds: 60,
  max_attempts: 2,
  retry_policy: { strategy: 'fixed', delay_seconds: 1, max_delay_seconds: 2, jitter: 0 },
  attempt: 0,
  result: null,
  error: null,
  progress: null,
  tags: ['a', 'b'],
  metadata: { team: 'docs' },
  retry_of: 'r',
  worker_id: null,
  cancel_requested_at: null,
  next_attempt_at: null,
  started_at: null,
  completed_at: null,
  created_at: '2026-11-25T09:00:00.000Z',
  updated_at: '2026-11-25T09:00:00.000Z',
};
const bodyOf = (result: ReturnType<typeof toTaskInput>) => {
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.body;
};

test('a message is enough', () => {
  const body = bodyOf(toTaskInput({ ...NEW_DRAFT, message: 'Do it' }));
  expect(body).toMatchObject({ message: 'Do it', priority: 5, max_attempts: 3, timeout_seconds: 3600 });
  expect(body).not.toHaveProperty('input');
});

test('tags are separated by commas, each once', () => {
  expect(bodyOf(toTaskInput({ ...NEW_DRAFT, message: 'x', tags: ' a, b,,a ' })).tags).toEqual(['a', 'b']);
});

test('what is missing or impossible is said at its field', () => {
  const result = toTaskInput({ ...NEW_DRAFT, input: '{"a": }', maxAttempts: '11', timeoutSeconds: '1.5' });
  expect(Object.keys('errors' in result ? result.errors : {}).sort()).toEqual([
    'input',
    'maxAttempts',
    'message',
    'timeoutSeconds',
  ]);
  expect('errors' in result && result.errors.input).toMatch(/Line 1, column 7/);
});

test('an edited task keeps what the form does not have, and times to the millisecond', () => {
  const body = bodyOf(toTaskInput({ ...toDraft(TASK), message: 'Other' }));
  const replacement = toReplacement(body, TASK, Date.parse('2026-11-25T09:30:00Z'));
  const { message, input, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, ...rest } = replacement;
  expect(message).toBe('Other');
  expect({ input, priority, scheduled_at, expires_at, timeout_seconds, max_attempts }).toEqual({
    input: TASK.input,
    priority: 3,
    scheduled_at: TASK.scheduled_at,
    expires_at: TASK.expires_at,
    timeout_seconds: 60,
    max_attempts: 2,
  });
  expect(rest).toEqual({
    tags: TASK.tags,
    retry_policy: TASK.retry_policy,
    metadata: TASK.metadata,
    retry_of: TASK.retry_of,
  });
});

test('a start that has passed is not sent again: the fleet would refuse it', () => {
  const body = bodyOf(toTaskInput(toDraft(TASK)));
  expect(toReplacement(body, TASK, Date.parse('2026-11-25T10:00:13Z')).scheduled_at).toBeNull();
});

test('errors of the fleet are shown at their fields', () => {
  expect(
    toDraftErrors([
      { path: 'scheduled_at', message: 'is in the past' },
      { path: 'tags.3', message: 'must have 1 to 128 characters' },
      { path: 'retry_policy.jitter', message: 'must be a number' },
    ]),
  ).toEqual({ scheduledAt: 'It is in the past.', tags: 'It must have 1 to 128 characters.' });
});
