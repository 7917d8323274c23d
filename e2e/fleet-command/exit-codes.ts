import { expect } from '@jest/globals';
import type { Records } from './commands.ts';

/** Credentials of the environment of a run. */
export type As = 'admin' | 'viewer' | 'nobody' | 'wrong-key' | 'wrong-token';

export interface Failure {
  title: string;
  /** `unavailable` is the address of no fleet. */
  args: (records: Records, unavailable: string) => readonly string[];
  code: number;
  as?: As;
  input?: string;
  /** In the error object of `--json`. */
  error: Record<string, unknown>;
  /** Without this part of the message or hint, people do not know what to do next. */
  says: string;
}

/** Exit code, title, command line, error object, and what people are told. */
function failure(
  code: number,
  title: string,
  args: Failure['args'],
  error: Failure['error'],
  says: string,
  more: Pick<Failure, 'as' | 'input'> = {},
): Failure {
  return { code, title, args, error, says, ...more };
}

const usage = (title: string, args: Failure['args'], says: string, input?: string): Failure =>
  failure(2, title, args, { error: 'usage' }, says, { input });

const NOT_FOUND = { error: 'not_found' };
const REQUEST = { request_id: expect.any(String) };

export const FAILURES: Failure[] = [
  failure(
    1,
    'an agent that does not exist',
    () => ['agents', 'show', 'nobody has this name'],
    NOT_FOUND,
    'fleet agents list',
  ),
  failure(
    1,
    'an id that does not exist',
    ({ completed }) => ['agents', 'show', completed.id],
    { ...NOT_FOUND, status: 404, ...REQUEST },
    'fleet agents list',
  ),
  failure(1, 'a task that does not exist', () => ['tasks', 'show', '../x'], NOT_FOUND, 'fleet tasks list'),
  failure(
    1,
    'an id that would be another path',
    ({ agentId }) => ['tasks', 'delete', `${agentId}/..`, '--yes'],
    NOT_FOUND,
    'fleet tasks list',
  ),
  failure(
    1,
    'the result of a task that has not ended',
    ({ pending }) => ['tasks', 'result', pending.id],
    { error: 'task_not_ended' },
    '--wait',
  ),
  failure(
    1,
    'a retry of a task that has not ended',
    ({ pending }) => ['tasks', 'retry', pending.id],
    { error: 'task_not_ended', status: 409, ...REQUEST },
    'fleet tasks watch',
  ),
  usage('an unknown command', () => ['agents', 'lst'], 'Did you mean list'),
  usage('an unknown option', () => ['agents', 'list', '--nothing'], 'fleet agents list --help'),
  usage('a missing argument', () => ['agents', 'show'], 'fleet agents show --help'),
  usage('a missing option', () => ['agents', 'create', 'x'], '--type'),
  usage('one argument too many', () => ['agents', 'list', 'x'], 'fleet agents list --help'),
  usage('a number out of bounds', () => ['agents', 'list', '--limit', '0'], '1 to 1000000'),
  usage('a number of skills out of bounds', () => ['skills', 'search', 'x', '--limit', '1001'], '1 to 1000'),
  usage('a status that is none', () => ['tasks', 'cancel', '--status', 'pendin', '--yes'], 'pendin is none of'),
  usage('a time that is none', () => ['tasks', 'list', '--created-after', 'today'], '2026-12-24T18:00:00Z'),
  usage('input that is not JSON', ({ agentId }) => ['tasks', 'add', agentId, 'x', '--input', '{'], '@file'),
  usage('an address that is none', () => ['status', '--url', 'nonsense'], 'http://localhost:8080'),
  usage('a limit that is none', () => ['status', '--timeout', 'soon'], '--timeout'),
  usage('a question that nobody can answer', ({ agentId }) => ['agents', 'delete', agentId], '--yes'),
  usage('an amount that is none', ({ agentId }) => ['tasks', 'add', agentId, 'x', '--max-cost', '0'], '2.50'),
  usage('a ref of nothing', ({ agentId }) => ['tasks', 'add', agentId, 'x', '--ref', 'main'], '--repository'),
  usage('a digest that is none', ({ agentId }) => ['tasks', 'add', agentId, 'x', '--skill', 'a@sha256:0'], '64'),
  usage('a task without its agent', () => ['tasks', 'add'], 'fleet tasks add --help'),
  usage(
    'two values from stdin',
    ({ agentId }) => ['tasks', 'add', agentId, '--input', '@-', '--schema', '@-'],
    'Only one value',
    '{}',
  ),
  usage('a task and filters', ({ pending }) => ['tasks', 'cancel', pending.id, '--tag', 'x'], 'not both'),
  usage('neither a task nor filters', () => ['tasks', 'cancel', '--yes'], '--status'),
  usage('a sign-in without a password', () => ['login', '--user', 'a@b.example'], '--password-stdin'),
  usage('an empty API key', () => ['login', '--api-key-stdin'], 'Pipe', '\n'),
  failure(
    2,
    'a value that the fleet refuses',
    () => ['agents', 'create', 'x', '--type', 'nothing'],
    { error: 'validation_error', status: 400, fields: [expect.objectContaining({ path: 'type' })] },
    'type must be one of',
  ),
  failure(
    2,
    'an unknown profile',
    () => ['status', '--profile', 'nothing'],
    { error: 'profile' },
    'fleet login --profile nothing',
  ),
  failure(
    3,
    'the end of the time, while waiting for a task',
    ({ pending }) => ['tasks', 'watch', pending.id, '--timeout', '1.5'],
    { error: 'timeout' },
    'longer --timeout',
  ),
  failure(
    3,
    'the end of the time, while nothing comes from stdin',
    ({ agentId }) => ['tasks', 'add', agentId, '-', '--timeout', '0.5'],
    { error: 'timeout' },
    'longer --timeout',
    { input: 'never' },
  ),
  failure(4, 'no credentials', () => ['whoami'], { error: 'signed_out' }, 'fleet login', { as: 'nobody' }),
  failure(4, 'no credentials for a request', () => ['agents', 'list'], { status: 401, ...REQUEST }, 'fleet login', {
    as: 'nobody',
  }),
  failure(4, 'a wrong API key', () => ['agents', 'list'], { status: 403 }, 'FLEET_API_KEY', { as: 'wrong-key' }),
  failure(4, 'a wrong token', () => ['agents', 'list'], { status: 401 }, 'login', { as: 'wrong-token' }),
  failure(
    4,
    'a missing scope',
    ({ type }) => ['agents', 'create', 'x', '--type', type],
    { error: 'forbidden', status: 403 },
    'fleet whoami',
    { as: 'viewer' },
  ),
  failure(
    4,
    'a wrong password',
    () => ['login', '--user', 'nobody@e2e.example', '--password-stdin'],
    { error: 'unauthorized' },
    'Check the e-mail',
    { as: 'nobody', input: 'wrong\n' },
  ),
  failure(
    5,
    'the result of a task that failed',
    ({ failed }) => ['tasks', 'result', failed.id],
    { error: 'broken' },
    'fleet tasks attempts',
  ),
  failure(
    5,
    'the result of a task that asks',
    ({ asking }) => ['tasks', 'result', asking.id],
    { error: 'input_required' },
    "'<answer>' --continue",
  ),
  failure(
    5,
    'the patch of a task without one',
    ({ failed }) => ['tasks', 'result', failed.id, '--patch'],
    { error: 'broken' },
    'fleet tasks attempts',
  ),
  failure(
    6,
    'no fleet at the address',
    (_records, unavailable) => ['agents', 'list', '--url', unavailable],
    { error: 'unavailable' },
    'running? Name another by --url',
  ),
];
