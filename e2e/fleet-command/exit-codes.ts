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

const usage = (title: string, args: Failure['args'], says: string, input?: string): Failure => ({
  ...{ title, args, says, code: 2, error: { error: 'usage' } },
  ...(input !== undefined && { input }),
});

export const FAILURES: Failure[] = [
  {
    title: 'an agent that does not exist',
    args: () => ['agents', 'show', 'nobody has this name'],
    code: 1,
    error: { error: 'not_found' },
    says: 'fleet agents list',
  },
  {
    title: 'an id that does not exist',
    args: ({ completed }) => ['agents', 'show', completed.id],
    code: 1,
    error: { error: 'not_found', status: 404, request_id: expect.any(String) },
    says: 'fleet agents list',
  },
  {
    title: 'a task that does not exist',
    args: () => ['tasks', 'show', '../x'],
    code: 1,
    error: { error: 'not_found' },
    says: 'fleet tasks list',
  },
  {
    title: 'an id that would be another path',
    args: ({ agentId }) => ['tasks', 'delete', `${agentId}/..`, '--yes'],
    code: 1,
    error: { error: 'not_found' },
    says: 'fleet tasks list',
  },
  {
    title: 'the result of a task that has not ended',
    args: ({ pending }) => ['tasks', 'result', pending.id],
    code: 1,
    error: { error: 'task_not_ended' },
    says: '--wait',
  },
  {
    title: 'a retry of a task that has not ended',
    args: ({ pending }) => ['tasks', 'retry', pending.id],
    code: 1,
    error: { error: 'task_not_ended', status: 409, request_id: expect.any(String) },
    says: 'fleet tasks watch',
  },
  usage('an unknown command', () => ['agents', 'lst'], 'Did you mean list'),
  usage('an unknown option', () => ['agents', 'list', '--nothing'], 'fleet agents list --help'),
  usage('a missing argument', () => ['agents', 'show'], 'fleet agents show --help'),
  usage('a missing option', () => ['agents', 'create', 'x'], '--type'),
  usage('one argument too many', () => ['agents', 'list', 'x'], 'fleet agents list --help'),
  usage('a number out of bounds', () => ['agents', 'list', '--limit', '0'], '1 to 1000000'),
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
  {
    title: 'a value that the fleet refuses',
    args: () => ['agents', 'create', 'x', '--type', 'nothing'],
    code: 2,
    error: { error: 'validation_error', status: 400, fields: [expect.objectContaining({ path: 'type' })] },
    says: 'type must be one of',
  },
  {
    title: 'an unknown profile',
    args: () => ['status', '--profile', 'nothing'],
    code: 2,
    error: { error: 'profile' },
    says: 'fleet login --profile nothing',
  },
  {
    title: 'the end of the time, while waiting for a task',
    args: ({ pending }) => ['tasks', 'watch', pending.id, '--timeout', '1.5'],
    code: 3,
    error: { error: 'timeout' },
    says: 'longer --timeout',
  },
  {
    title: 'the end of the time, while nothing comes from stdin',
    args: ({ agentId }) => ['tasks', 'add', agentId, '-', '--timeout', '0.5'],
    code: 3,
    error: { error: 'timeout' },
    says: 'longer --timeout',
    input: 'never',
  },
  {
    title: 'no credentials',
    args: () => ['whoami'],
    as: 'nobody',
    code: 4,
    error: { error: 'signed_out' },
    says: 'fleet login',
  },
  {
    title: 'no credentials for a request',
    args: () => ['agents', 'list'],
    as: 'nobody',
    code: 4,
    error: { status: 401, request_id: expect.any(String) },
    says: 'fleet login',
  },
  {
    title: 'a wrong API key',
    args: () => ['agents', 'list'],
    as: 'wrong-key',
    code: 4,
    error: { status: 403 },
    says: 'FLEET_API_KEY',
  },
  {
    title: 'a wrong token',
    args: () => ['agents', 'list'],
    as: 'wrong-token',
    code: 4,
    error: { status: 401 },
    says: 'login',
  },
  {
    title: 'a missing scope',
    args: ({ type }) => ['agents', 'create', 'x', '--type', type],
    as: 'viewer',
    code: 4,
    error: { error: 'forbidden', status: 403 },
    says: 'fleet whoami',
  },
  {
    title: 'a wrong password',
    args: () => ['login', '--user', 'nobody@e2e.example', '--password-stdin'],
    as: 'nobody',
    code: 4,
    error: { error: 'unauthorized' },
    says: 'Check the e-mail',
    input: 'wrong\n',
  },
  {
    title: 'the result of a task that failed',
    args: ({ failed }) => ['tasks', 'result', failed.id],
    code: 5,
    error: { error: 'broken' },
    says: 'fleet tasks attempts',
  },
  {
    title: 'the result of a task that asks',
    args: ({ asking }) => ['tasks', 'result', asking.id],
    code: 5,
    error: { error: 'input_required' },
    says: "'<answer>' --continue",
  },
  {
    title: 'the patch of a task without one',
    args: ({ failed }) => ['tasks', 'result', failed.id, '--patch'],
    code: 5,
    error: { error: 'broken' },
    says: 'fleet tasks attempts',
  },
  {
    title: 'no fleet at the address',
    args: (_records, unavailable) => ['agents', 'list', '--url', unavailable],
    code: 6,
    error: { error: 'unavailable' },
    says: 'running? Name another by --url',
  },
];
