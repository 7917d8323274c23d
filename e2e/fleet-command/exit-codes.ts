import { expect } from '@jest/globals';

/** Credentials of the environment of a run. */
export type As = 'admin' | 'viewer' | 'nobody' | 'wrong-key' | 'wrong-token';

/** Who runs it, and what is on stdin; `never` is one without an end. */
interface Given {
  as?: As;
  input?: string;
}

type Row = [
  code: number,
  title: string,
  /** See `toArgs`. */
  line: string,
  /** In the error object of `--json`. */
  error: Record<string, unknown>,
  /** Without this part of the message or hint, people do not know what to do next. */
  says: string,
  given?: Given,
];

const NOT_FOUND = { error: 'not_found' };
const REQUEST = { request_id: expect.any(String) };
const NO_TYPE = { error: 'validation_error', status: 400, fields: [expect.objectContaining({ path: 'type' })] };

const usage = (title: string, line: string, says: string, input?: string): Row => [
  ...([2, title, line, { error: 'usage' }, says, { input }] as const),
];

const ROWS: Row[] = [
  [1, 'an agent that does not exist', 'agents show nobody', NOT_FOUND, 'fleet agents list'],
  [1, 'an id of none', 'agents show {completed}', { ...NOT_FOUND, status: 404, ...REQUEST }, 'fleet agents list'],
  [1, 'a task that does not exist', 'tasks show ../x', NOT_FOUND, 'fleet tasks list'],
  [1, 'an id that would be another path', 'tasks delete {agentId}/.. --yes', NOT_FOUND, 'fleet tasks list'],
  [1, 'the beginning of no id', 'tasks show ffffffff', NOT_FOUND, 'fleet tasks list'],
  [1, 'the result of a task that has not ended', 'tasks result {pending}', { error: 'task_not_ended' }, '--wait'],
  [1, 'an answer to nothing', 'tasks answer {pending} --text x', NOT_FOUND, 'fleet inbox'],
  [1, 'a word to a task that has ended', 'tasks say {failed} x', { error: 'task_ended' }, '--continue'],
  [1, 'a retry of one', 'tasks retry {pending}', { error: 'task_not_ended', ...REQUEST }, 'fleet tasks watch'],
  usage('an unknown command', 'agents lst', 'Did you mean list'),
  usage('an unknown option', 'agents list --nothing', 'fleet agents list --help'),
  usage('a missing argument', 'agents show', 'fleet agents show --help'),
  usage('a missing option', 'agents create x', '--type'),
  usage('one argument too many', 'agents list x', 'fleet agents list --help'),
  usage('a number out of bounds', 'agents list --limit 0', '1 to 1000000'),
  usage('a number of skills out of bounds', 'skills search x --limit 1001', '1 to 1000'),
  usage('a status that is none', 'tasks cancel --status pendin --yes', 'pendin is none of'),
  usage('a time that is none', 'tasks list --created-after today', '2026-12-24T18:00:00Z'),
  usage('input that is not JSON', 'tasks add {agentId} x --input {', '@file'),
  usage('bad lines of a file', 'tasks add {agentId} --file -', 'line 3: ', '{"message":"a"}\n[1]\n{"message":\n'),
  usage('a file and a message', 'tasks add {agentId} x --file y', '--file'),
  usage('an address that is none', 'status --url nonsense', 'http://localhost:8080'),
  usage('a limit that is none', 'status --timeout soon', '--timeout'),
  usage('a question that nobody can answer', 'agents delete {agentId}', '--yes'),
  usage('an amount that is none', 'tasks add {agentId} x --max-cost 0', '2.50'),
  usage('a ref of nothing', 'tasks add {agentId} x --ref main', '--repository'),
  usage('a digest that is none', 'tasks add {agentId} x --skill a@sha256:0', '64'),
  usage('an answer without a word', 'tasks answer {asking}', '--option '),
  usage('a task without its agent', 'tasks add', 'fleet tasks add --help'),
  usage('two values from stdin', 'tasks add {agentId} --input @- --schema @-', 'Only one value', '{}'),
  usage('a task and filters', 'tasks cancel {pending} --tag x', 'not both'),
  usage('neither a task nor filters', 'tasks cancel --yes', '--status'),
  usage('a sign-in without a password', 'login --user a@b.example', '--password-stdin'),
  usage('an empty API key', 'login --api-key-stdin', 'Pipe', '\n'),
  [2, 'a value that the fleet refuses', 'agents create x --type nothing', NO_TYPE, 'type must be one of'],
  [2, 'an unknown profile', 'status --profile nothing', { error: 'profile' }, 'fleet login --profile nothing'],
  [3, 'the end of a wait for a task', 'tasks watch {pending} --timeout 1.5', { error: 'timeout' }, 'longer --timeout'],
  [
    ...([3, 'the end of a wait for stdin', 'tasks add {agentId} - --timeout 0.5'] as const),
    ...([{ error: 'timeout' }, 'longer --timeout', { input: 'never' }] as const),
  ],
  [4, 'no credentials', 'whoami', { error: 'signed_out' }, 'fleet login', { as: 'nobody' }],
  [4, 'no credentials for a request', 'agents list', { status: 401, ...REQUEST }, 'fleet login', { as: 'nobody' }],
  [4, 'a wrong API key', 'agents list', { status: 403 }, 'FLEET_API_KEY', { as: 'wrong-key' }],
  [4, 'a wrong token', 'agents list', { status: 401 }, 'login', { as: 'wrong-token' }],
  [4, 'a missing scope', 'agents create x --type {type}', { error: 'forbidden' }, 'fleet whoami', { as: 'viewer' }],
  [
    ...([4, 'a wrong password', 'login --user nobody@e2e.example --password-stdin'] as const),
    ...([{ error: 'unauthorized' }, 'Check the e-mail', { as: 'nobody', input: 'wrong\n' }] as const),
  ],
  [5, 'the result of a task that failed', 'tasks result {failed}', { error: 'broken' }, 'fleet tasks attempts'],
  [5, 'the patch of one without', 'tasks result {failed} --patch', { error: 'broken' }, 'fleet tasks attempts'],
  [7, 'the result of a task that asks', 'tasks result {asking}', { error: 'input_required' }, 'fleet tasks answer'],
  [6, 'no fleet at the address', 'agents list --url {unavailable}', { error: 'unavailable' }, 'Name another by --url'],
];

export type Failure = (typeof FAILURES)[number];

export const FAILURES = ROWS.map(([code, title, line, error, says, given = {}]) => {
  const { as, input }: Given = given;
  return { code, title, line, error, says, as, input };
});
