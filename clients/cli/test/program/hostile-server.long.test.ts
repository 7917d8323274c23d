import { resolve } from 'node:path';
import { type CommandResult, runCommand } from '@agent-fleet/scripts/testing/command';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';

const BIN = resolve(import.meta.dirname, '../../bin/fleet.mjs');
const ID = '00000000-0000-4000-8000-000000000000';
const WORD = 'w'.repeat(1024 * 1024);
/** Escapes (colours, titles, the clipboard), C1, bidirectional overrides, line breaks, a lone surrogate. */
const EVIL = '\x1b[2J\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07\x9b31m\u202eevil\u2066\r\n\x00\x7f\u2028next\ud800\ufeff';
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/u;

const TIME = '2026-01-01T00:00:00.000Z';
/** Every field that a command reads, as a server that is no fleet may send it. */
const RECORD = {
  ...{ id: ID, agent_id: ID, task_id: ID, name: EVIL, type: EVIL, status: EVIL, message: EVIL, created_at: TIME },
  ...{ reason: EVIL, paused_at: EVIL, tags: [EVIL], input: { [EVIL]: EVIL }, result: EVIL, worker_id: EVIL, at: EVIL },
  ...{ error: { code: EVIL, message: EVIL }, progress: { percent: 1, message: EVIL }, retry_of: EVIL, attempt: 1 },
  ...{ number: 1, outcome: EVIL, started_at: TIME, ended_at: TIME, level: EVIL, stream: EVIL, text: EVIL, key: EVIL },
  ...{ scopes: [EVIL], owner: EVIL, email: EVIL, role: EVIL, code: EVIL, expires_at: EVIL, user: EVIL, data: [EVIL] },
  ...{ actor: { type: EVIL, id: EVIL, name: EVIL }, action: EVIL, target: { type: EVIL, id: EVIL }, address: EVIL },
  ...{ last_sign_in_at: EVIL, matched: 1, state: EVIL, done: 1, failed: 1, since: EVIL, ahead: 1, cursor: EVIL },
  ...{ skills: [EVIL, { id: EVIL, digest: EVIL }], workspace: { repository: EVIL, ref: EVIL }, model: EVIL },
  ...{ continue_of: EVIL, usage: { input_tokens: EVIL, cached_input_tokens: 1, output_tokens: 1 } },
  cost: { amount: 1, currency: EVIL, estimated: true },
  failures: [{ agent_id: EVIL, task_id: EVIL, code: EVIL }],
};
const LISTS = /\/(agents|tasks|attempts|log-entries|api-keys|users|events|audit-events)(\?|$)/;

const url = await serveUntilEnd((req, res) => {
  const send = (status: number, value: unknown) =>
    void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  const { url: path = '', method } = req;
  if (path.startsWith('/refused/')) {
    const fields = [{ path: EVIL, code: EVIL, message: EVIL }];
    send(409, { error: EVIL, message: EVIL, details: { fields } });
  } else if (path.startsWith('/large/')) send(200, [{ ...RECORD, name: WORD, text: WORD }]);
  else if (path.includes('/skills')) send(200, { ...RECORD, skills: [RECORD] });
  else send(200, method === 'GET' && LISTS.test(path) ? [RECORD] : RECORD);
});

function fleet(args: readonly string[], path = '', env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const own = { PATH: process.env.PATH, HOME: '/nonexistent', FLEET_URL: url + path, FLEET_API_KEY: 'key', ...env };
  return runCommand(process.execPath, [BIN, ...args], { env: own, timeoutMs: 60_000 });
}

const COMMANDS = [
  ['agents', 'list'],
  ['agents', 'show', ID],
  ['agents', 'create', 'x', '--type', 'x'],
  ['agents', 'pause', ID],
  ['tasks', 'list'],
  ['tasks', 'show', ID],
  ['tasks', 'logs', ID],
  ['tasks', 'attempts', ID],
  ['tasks', 'cancel', '--tag', 'x', '--yes', '--timeout', '5'],
  ['tasks', 'delete', ID, '--yes'],
  ['keys', 'list'],
  ['keys', 'create', 'x'],
  ['users', 'list'],
  ['users', 'show', ID],
  ['users', 'create', 'x'],
  ['users', 'delete', ID, '--yes'],
  ['audit', '--limit', '1'],
  ['events', '--limit', '1'],
  ['whoami'],
];

test.concurrent.each(COMMANDS.map((args) => [args]))(
  'what a server says does nothing to a terminal: %j',
  async (args) => {
    const colored = fleet(args, '', { CLICOLOR_FORCE: '1' });
    const json = await fleet([...args, '--json']);
    expect(json.stdout + json.stderr).not.toMatch(UNSAFE);
    // Only its own styles.
    const { stdout, stderr, exitCode } = await colored;
    // A stopped bulk action is 1.
    expect([0, 1]).toContain(exitCode);
    expect(stdout).not.toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
    expect((stdout + stderr).replace(/\x1b\[\d+m/g, '')).not.toMatch(UNSAFE);
  },
);

test.concurrent.each([
  [['agents', 'list']],
  [['tasks', 'cancel', '--tag', 'x', '--yes', '--timeout', '5']],
  [['events', '--limit', '1']],
])('what a server says in a refusal does nothing to a terminal: %j', async (args) => {
  const { stdout, stderr, exitCode } = await fleet(args, '/refused');
  expect(exitCode).not.toBe(0);
  expect(stdout + stderr).not.toMatch(UNSAFE);
});

test.concurrent('JSON keeps the values', async () => {
  const { stdout } = await fleet(['agents', 'list', '--json']);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify([RECORD])));
  const { stderr } = await fleet(['agents', 'list', '--json'], '/refused');
  expect(JSON.parse(stderr)).toMatchObject({ error: EVIL, status: 409 });
});

test.concurrent('a line break in a name adds no line to a table', async () => {
  const { stdout } = await fleet(['agents', 'list']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
});

test.concurrent('a name of 1 MiB fills no screen', async () => {
  const { stdout, exitCode } = await fleet(['agents', 'list'], '/large');
  expect(exitCode).toBe(0);
  expect(stdout.length).toBeLessThan(10_000);
});
