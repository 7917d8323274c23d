import { expect, test } from '@jest/globals';
import { NEW_DRAFT, toDraft, toDraftErrors, toReplacement, toTaskInput } from '../../src/tasks/task-draft.ts';
import { TASK } from './task.ts';

const bodyOf = (result: ReturnType<typeof toTaskInput>) => {
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.body;
};

test('a message is enough', () => {
  const body = bodyOf(toTaskInput({ ...NEW_DRAFT, message: 'Do it' }));
  expect(body).toMatchObject({ message: 'Do it', priority: 5 });
  // These are of its agent, unless they are given.
  for (const name of ['input', 'max_attempts', 'timeout_seconds', 'model']) expect(body).not.toHaveProperty(name);
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
  expect('errors' in result && result.errors.input).toMatch(/^This is not JSON: Unexpected token/);
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
    continue_of: TASK.continue_of,
    skills: TASK.skills,
    workspace: { repository: TASK.workspace?.repository },
    model: TASK.model,
    output_schema: TASK.output_schema,
    max_cost: TASK.max_cost,
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
      { path: 'workspace.ref', message: 'must be a ref' },
      { path: 'workspace.repository', message: 'must have no credentials' },
    ]),
  ).toEqual({
    scheduledAt: 'It is in the past.',
    tags: 'It must have 1 to 128 characters.',
    ref: 'It must be a ref.',
    repository: 'It must have no credentials.',
  });
});
