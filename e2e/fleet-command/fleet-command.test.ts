import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { createRecords, type Records, toArgs } from './commands.ts';
import { type As, FAILURES, type Failure } from './exit-codes.ts';
import { BIN, FleetProgram, HAS_TERMINAL, type Outcome, type RunOptions } from './fleet-program.ts';
import { specifyCommands } from './specify-commands.ts';

const api = new Api();
const program = new FleetProgram();
let records: Records;
let credentials: Record<As, NodeJS.ProcessEnv>;
let unavailable: string;

beforeAll(async () => {
  await api.open();
  records = await createRecords(api, 'exit-codes');
  const viewer = await api.accounts.createKey({ role: 'viewer' });
  credentials = {
    admin: { FLEET_API_KEY: api.apiKey },
    viewer: { FLEET_API_KEY: viewer.key },
    nobody: {},
    'wrong-key': { FLEET_API_KEY: 'wrong' },
    'wrong-token': { FLEET_TOKEN: 'wrong' },
  };
  unavailable = `http://127.0.0.1:${(await freePorts(['unavailable'])).unavailable}`;
}, 180_000);
afterAll(() => api.close(), 180_000);

function run(args: readonly string[], as: As = 'admin', more: RunOptions = {}): Promise<Outcome> {
  return program.run(args, { env: { FLEET_URL: api.baseUrl, ...credentials[as] }, ...more });
}

specifyCommands(api, program, ['pipe --json']);

function fail({ line, as, input }: Failure, ...options: string[]): Promise<Outcome> {
  const args = [...toArgs(line, records, { unavailable }), ...options];
  return run(args, as, input === 'never' ? { isOpen: true } : { input });
}

test.concurrent.each(FAILURES)('$title is exit code $code', async (failure) => {
  const { code, error, says } = failure;
  const { stdout, stderr, ...json } = await fail(failure, '--json');
  expect(json.code).toBe(code);
  const told = JSON.parse(stderr);
  expect(told).toMatchObject({
    ...{ error: expect.any(String), message: expect.stringMatching(/./), hint: expect.stringMatching(/./) },
    ...error,
  });
  expect(`${told.message}\n${told.hint}`).toContain(says);
  if (code !== 3) expect(stdout).toBe('');
});

const onePerCode = new Map(FAILURES.map((failure) => [failure.code, failure]));

test.concurrent.each([...onePerCode.values()])('people are told what to do next about $title', async (failure) => {
  const { code, says } = failure;
  const plain = await fail(failure);
  expect(plain).toMatchObject({ code, stderr: expect.stringContaining(says) });
  // A message, and what to do next; a task that waits says why before.
  expect(plain.stderr).toMatch(/^(The task waits: .*\n)?Error: .+\n.+\n$/);
  if (code !== 3) expect(plain.stdout).toBe('');
});

test.concurrent.each(['--json', '--timeout=9'])('fleet worker refuses %s, which it would ignore', async (option) => {
  const { code, stderr } = await run([option, 'worker', '--exec', 'cat']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('out.') });
});

test.concurrent('a watched task that fails or is cancelled is exit code 5', async () => {
  const add = async (outcome?: Record<string, unknown>) => {
    const agent = await api.createAgent();
    const adding = run(['tasks', 'add', agent.id, 'x', '--attempts', '1', '--wait', '--json']);
    const lease = await api.lease(agent.id, { wait_seconds: 30 });
    await api.report(lease, outcome);
    return { ...(await adding), lease };
  };
  const [completed, failed] = await Promise.all([
    add({ result: { answer: 42 } }),
    add({ status: 'failed', error: { code: 'broken', message: 'Broke', retryable: false } }),
  ]);
  expect(completed).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(completed.stdout)).toMatchObject({ status: 'completed', result: { answer: 42 } });
  expect(failed).toMatchObject({ code: 5, stderr: '' });
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', error: { code: 'broken' } });
});

test.concurrent.each(['events', 'audit'])('fleet %s lists the newest first', async (command) => {
  const timesOf = ({ stdout }: Outcome) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).at as string);
  const newest = timesOf(await run([command, '--limit', '9', '--json']));
  expect(newest).toEqual(newest.toSorted().reverse());
  const [oldest] = timesOf(await run([command, '--limit', '1', '--order', 'asc', '--json']));
  expect(String(oldest) < String(newest[0])).toBe(true);
});

test.concurrent('numbers pass unchanged through fleet, its worker and a retry', async () => {
  const numbers = '[98765432109876543210,3.0,-0,0.2000000000000000111]';
  const agent = await api.createAgent();
  const added = await run(['tasks', 'add', agent.id, 'x', '--input', numbers, '--quiet']);
  const task = `${agent.id}/${added.stdout.trim()}`;
  const worked = await run(['worker', '--agent', agent.id, '--once', '--exec', 'cat']);
  expect(worked).toMatchObject({ code: 0 });
  const shown = await run(['tasks', 'show', task, '--json']);
  // The result is the task as the program got it.
  expect(shown.stdout.split(`"input":${numbers}`)).toHaveLength(3);
  const retried = await run(['tasks', 'retry', task, '--json']);
  expect(retried.stdout).toContain(`"input":${numbers}`);
});

test.concurrent('a program of a worker asks by fleet ask, and says what it does by fleet tell', async () => {
  const agent = await api.createAgent();
  const fleet = `'${process.execPath}' '${BIN}'`;
  const script = join(program.home, 'asks.sh');
  const ask = `${fleet} ask --option yes=Yes --option no=No --text 'Push it?'`;
  writeFileSync(script, `#!/bin/sh\ncat > task.json\n${fleet} tell 'Reading **it**' && ${ask}\n`, { mode: 0o755 });
  const { id: taskId } = await api.createTask(agent.id);
  const path = `/agents/${agent.id}/tasks/${taskId}`;
  // The first worker stops to wait, and has the program start anew when there is an answer.
  const work = (hold: string) =>
    run(['worker', '--agent', agent.id, '--once', '--exec', script, '--hold-seconds', hold, '--worker-id', 'asks']);
  const working = work('0');
  const read = async () => ((await api.get(`${path}/input-requests`)).json as Record<string, unknown>[])[0];
  const request = await until(read, { message: 'it asks', holds: (found) => found !== undefined });
  expect(request).toMatchObject({ kind: 'question', title: 'Push it?', allow_text: true });
  const body = { option_ids: ['yes'], text: 'Now' };
  expect(await working).toMatchObject({ code: 0 });
  await api.call('PUT', `${path}/input-requests/${request?.id}/answer`, { body });
  expect(await work('900')).toMatchObject({ code: 0 });
  expect((await api.get(path)).json).toMatchObject({ status: 'completed', result: 'yes\nNow' });
  const [said] = (await api.get(`${path}/log-entries?types=text`)).json as object[];
  expect(said).toMatchObject({ stream: 'agent', data: { markdown: 'Reading **it**' } });
  const alone = await run(['ask', 'Well?']);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('fleet worker --exec') });
});

test.concurrent('tasks of a file are added once with one key, and their numbers stay as they are', async () => {
  const agent = await api.createAgent();
  const file = join(program.home, 'tasks.jsonl');
  const numbers = '[30000000000000000001,5.0,-0]';
  const long = `{"message":"long","input":"${'x'.repeat(60_000)}"}\n`.repeat(4);
  writeFileSync(file, `\ufeff{"message":"one","input":${numbers}}\r\n\n{"message":""}\n${long}`);
  const args = ['tasks', 'add', agent.id, '--file', file, '--idempotency-key', agent.id];
  const first = await run([...args, '--json']);
  // The fleet refuses the second one, which is in line 3.
  expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining(`"input":${numbers}`) });
  expect((await run(args)).stderr).toMatch(/^Refused, while the others were added:\nline 3: /);
  const { stdout } = await run(['tasks', 'list', '--agent', agent.id, '--quiet']);
  expect(stdout.trim().split('\n')).toHaveLength(5);
});

test.concurrent('fleet doctor finds another clock, another version and refused credentials', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() - 100_000).toUTCString());
    response.setHeader('content-type', 'application/json').end('{"openapi":"3.1.0","info":{"version":"7.8.9"}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const skewed = await run(['doctor', '--url', url], 'nobody');
  server.close();
  expect(skewed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^warn +clock +1?\d\d s before the fleet/m) });
  expect(skewed.stdout).toContain(`${url}/download/fleet.tgz#7.8.9 fleet`);
  const refused = await run(['doctor'], 'wrong-key');
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail +credentials +.*fleet login/m) });
  const away = await run(['doctor', '--url', unavailable]);
  expect(away).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail +address +.*FLEET_URL/m) });
});

test.concurrent.each([
  ['tasks watch', () => ['tasks', 'watch', records.pending.id], 'task.created'],
  ['events --follow', () => ['events', '--follow', '--after', '0'], 'created'],
])('Ctrl-C ends fleet %s with exit code 130', async (_command, args, shown) => {
  const outcome = await run([...args(), '--json'], 'admin', {
    on: [[shown, (kill) => kill('SIGINT')]],
  });
  expect(outcome.code).toBe(130);
  expect(JSON.parse(outcome.stderr)).toMatchObject({ error: 'interrupted' });
});

if (HAS_TERMINAL) {
  const CTRL_C = '\x03';
  const ENTER = '\r';

  test.concurrent('a task that asks ends a wait with 7, is in the inbox, and is answered where it is watched', async () => {
    const agent = await api.createAgent();
    const adding = run(['tasks', 'add', agent.id, 'x', '--wait']);
    const { id, token, task } = await api.lease(agent.id, { wait_seconds: 30, accepts: ['input'] });
    const title = `Which one of ${agent.id}?`;
    const options = [
      { id: 'a', label: 'A\x1b[2J' },
      { id: 'b', label: 'B' },
    ];
    const following = run(['inbox', '--follow'], 'admin', { on: [[title, (kill) => kill('SIGINT')]] });
    const body = { token, key: 'k', kind: 'question', title, options };
    await api.call('POST', `/leases/${id}/input-requests`, { body });
    const added = await adding;
    expect(added).toMatchObject({ code: 7, stdout: '' });
    expect(added.stderr).toMatch(/Question: Which one .*\n {2}a {2}A␛\[2J\n {2}b {2}B\nAnswer it .*--option '…'\n$/);
    expect((await following).stdout).toContain(title);
    const watching = run(['tasks', 'watch', task.id], 'admin', { answers: [['Something else', ENTER]] });
    const requests = `/agents/${agent.id}/tasks/${task.id}/input-requests`;
    const read = async () => ((await api.get(requests)).json as { state: string; answer: object | null }[])[0];
    const answered = await until(read, { message: 'answered', holds: (request) => request?.state === 'answered' });
    expect(answered?.answer).toMatchObject({ option_ids: ['a'], by: { name: expect.any(String) } });
    await api.report({ id, token }, { result: 'went on' });
    expect(await watching).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/It was answered by [^\n]*: a\s.*went on\n$/s),
    });
  });

  test.concurrent.each([
    ['n', 3, 'Cancelled'],
    [CTRL_C, 3, 'Cancelled'],
    ['y', 0, 'Deleted'],
  ])('%j to a question on a terminal is exit code %i', async (typed, code, shown) => {
    const agent = await api.createAgent({ name: 'Asked about' });
    const outcome = await run(['agents', 'delete', agent.id], 'admin', { answers: [['Delete Asked about', typed]] });
    expect(outcome).toMatchObject({ code, stdout: expect.stringContaining(shown) });
    const { status } = await api.get(`/agents/${agent.id}`);
    expect(status).toBe(code === 0 ? 404 : 200);
  });

  test.concurrent('a terminal shows what came of a task, for reading and in colours unless NO_COLOR is set', async () => {
    const agent = await api.createAgent();
    const { task, ...lease } = await api.createRunning(agent.id, { message: 'First line\n\nThe others' });
    const files = [{ path: 'src/a.ts', added: 3, removed: 1 }, null, { path: 'logo.png', added: null, removed: null }];
    const text = '## Notes\n\n* **new**: [page](https://a.example/)\n```\n# code\n```';
    await api.report(lease, { result: { text, changes: { files } } });
    const shown = await run(['tasks', 'show', task.id], 'admin', { isTerminal: true });
    expect(shown.stdout).toContain('\x1b[1mFirst line\x1b[22m\n\x1b[32mcompleted\x1b[39m\n');
    expect(shown.stdout).toContain('message   The others\n');
    expect(shown.stdout).toMatch(/\ntook +\d/);
    expect(shown.stdout).toContain('\n\n\x1b[1mNotes\x1b[22m\n\n• new: page (https://a.example/)\n    # code\n');
    expect(shown.stdout).toMatch(/\n\+3 -1 {2}src\/a\.ts\n\+\? -\? {2}logo\.png\n$/);
    const list = (env: NodeJS.ProcessEnv) =>
      program.run(['tasks', 'list', '--agent', agent.id], {
        env: { FLEET_URL: api.baseUrl, ...credentials.admin, ...env },
        isTerminal: true,
      });
    expect((await list({})).stdout).toContain('\x1b[32mcompleted\x1b[39m');
    expect((await list({ NO_COLOR: '1' })).stdout).not.toContain('\x1b');
  });

  test.concurrent('Ctrl-C ends fleet top, which restores the screen', async () => {
    const { code, stdout } = await run(['top'], 'admin', { answers: [['MINUTE', CTRL_C]] });
    expect(code).toBe(130);
    expect(stdout).toContain('\x1b[?1049l');
    expect(stdout).toContain('agents');
  });
}
