import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { parseCli } from '../src/cli-options.ts';
import { CliProcess, type CliProcessOptions } from './support/cli-process.ts';
import { useFleet } from './support/harness.ts';
import { HEARTBEAT, POLL } from './support/test-fleet.ts';

const context = useFleet();
const dir = mkdtempSync(join(tmpdir(), 'fleet-cli-'));
const started: CliProcess[] = [];

afterEach(async () => {
  for (const cli of started.splice(0)) {
    cli.signal('SIGKILL');
    await cli.ended();
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** With the API key and the URL of the fleet in its environment. */
function start(args: string[], { env = {}, ...options }: CliProcessOptions = {}): CliProcess {
  const cli = new CliProcess(args, { env: { FLEET_API_KEY: 'key', FLEET_URL: context.fleet.url, ...env }, ...options });
  started.push(cli);
  return cli;
}

const startSh = (script: string, ...args: string[]) => start([...args, '--exec', 'sh', '--', '-c', script]);

test('runs the program for each task until a signal arrives', async () => {
  const { fleet } = context;
  const types = ['--type', 'claude', '--type', 'gpt'];
  const cli = start([...types, '--exec', 'cat', '--worker-id', 'me', '--lease-seconds', '9']);
  const tasks = ['a', 'b'].map((message) => fleet.add(message));
  for (const task of tasks) await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: { id: task.id } });
  const [poll] = fleet.all(POLL);
  expect(poll?.headers['x-api-key']).toBe('key');
  expect(poll?.body).toMatchObject({ types: ['claude', 'gpt'], worker_id: 'me', lease_seconds: 9, max_tasks: 1 });
  cli.signal('SIGTERM');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stdout).toBe('');
});

test('prefers options to the environment', () => {
  const env = { FLEET_API_KEY: 'other', FLEET_URL: 'http://127.0.0.1:9', PATH: process.env.PATH };
  const options = ['--url', 'http://mine', '--api-key', 'mine', '--agent', 'a1', '--concurrency=3'];
  const expected = { url: 'http://mine', apiKey: 'mine', agentId: 'a1', concurrency: 3 };
  expect(parseCli(['--exec', 'cat', ...options], env)).toMatchObject(expected);
});

test('exits after one task with --once, and forwards the stderr of the program', async () => {
  const { fleet } = context;
  const [first, second] = [fleet.add('a'), fleet.add('b')];
  const cli = startSh('echo hello from $FLEET_TASK_ID >&2; exit 7', '--once');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stderr).toContain(`\nhello from ${first.id}\n`);
  const error = { code: 'exit_7', message: `hello from ${first.id}`, retryable: true };
  await expect(fleet.reportOf(first)).resolves.toMatchObject({ status: 'failed', error });
  expect(fleet.held.map(({ task }) => task.id)).not.toContain(second.id);
});

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s lets the running program finish', async (signal) => {
    const { fleet } = context;
    const release = join(dir, `finish-${signal}`);
    const task = fleet.add('a');
    const cli = startSh(`until [ -e ${release} ]; do sleep 0.05; done; echo done`);
    await fleet.untilRequested(HEARTBEAT);
    cli.signal(signal);
    // npm repeats what the terminal has sent. The same signal twice could arrive as one.
    cli.signal(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
    await cli.untilPrinted(': finishing running tasks');
    await sleep(200);
    writeFileSync(release, '');
    await expect(cli.ended()).resolves.toBe(0);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed', result: 'done' });
  });

  test('ends a program that does not finish in time, and releases its task', async () => {
    const { fleet } = context;
    const task = fleet.add('a');
    const cli = startSh('sleep 65.25', '--stop-seconds', '0');
    await fleet.untilRequested(HEARTBEAT);
    const processes = processTree(cli.pid).filter(({ command }) => command.includes('65.25'));
    cli.signal('SIGTERM');
    await expect(cli.ended()).resolves.toBe(0);
    await fleet.untilReleased(task);
    await expect(remaining(withoutWorker(processes, cli), 30_000)).resolves.toEqual([]);
  });

  test('kills the program at once when it is sent again', async () => {
    const { fleet } = context;
    fleet.add('a');
    const cli = startSh(`trap '' TERM; sleep 66.25`);
    await fleet.untilRequested(HEARTBEAT);
    await until(() => processTree(cli.pid).length > 1, { message: 'the program runs' });
    const processes = withoutWorker(processTree(cli.pid), cli);
    cli.signal('SIGINT');
    await cli.untilPrinted('finishing');
    await sleep(1_200);
    cli.signal('SIGINT');
    await expect(cli.ended()).resolves.toBe(1);
    expect(processes.length).toBeGreaterThan(0);
    await expect(remaining(processes, 30_000)).resolves.toEqual([]);
  });
});

test('stops when npx exits without forwarding a signal', async () => {
  const { fleet } = context;
  const task = fleet.add('a');
  const command = ['--exec', 'sh', '--', '-c', 'sleep 1; echo done'];
  const cli = start(command, { env: { npm_command: 'exec' }, inShell: true });
  await fleet.untilRequested(HEARTBEAT);
  cli.signal('SIGKILL');
  await cli.untilPrinted('npx has exited: finishing');
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  await cli.ended();
});

test('prints one line and exits with code 1 when the fleet refuses the credentials', async () => {
  context.fleet.fail(POLL, { status: 403, body: { detail: 'Invalid API key' } });
  const cli = start(['--exec', 'cat']);
  await expect(cli.ended()).resolves.toBe(1);
  expect(cli.stderr).toMatch(/^fleet-worker: Credentials refused by the fleet at \S+ \(403: Invalid API key\)$/m);
  expect(cli.stderr).not.toContain('    at ');
});

test('--help prints the usage', async () => {
  const cli = new CliProcess(['--help']);
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stdout).toMatch(/^Usage: fleet-worker /);
  expect(cli.stderr).toBe('');
});

test.each([
  ['--exec <program> is missing', []],
  ['concurrency must be a whole number from 1', ['--exec', 'cat', '--concurrency', '0']],
])('wrong usage exits with code 2 before any request: %s', async (message, args) => {
  const cli = start(args);
  await expect(cli.ended()).resolves.toBe(2);
  expect(cli.stderr).toContain(`fleet-worker: ${message}`);
  expect(context.fleet.requests).toEqual([]);
});

const plain = join(dir, 'plain.txt');
writeFileSync(plain, '');
chmodSync(plain, 0o644);
test.each<[string, string[], NodeJS.ProcessEnv]>([
  ['./missing not found', ['--exec', './missing'], {}],
  ['missing not found on PATH', ['--exec', 'missing'], {}],
  ['did you mean ./package.json', ['--exec', 'package.json'], {}],
  [`${plain} is not an executable file`, ['--exec', plain], {}],
  ['FLEET_API_KEY is not set', ['--exec', 'cat'], { FLEET_API_KEY: '' }],
  ['--concurrency must be a whole number', ['--exec', 'cat', '--concurrency', 'x'], {}],
  ['--verbose', ['--exec', 'cat', '--verbose'], {}],
])('refuses wrong usage: %s', (message, args, env) => {
  expect(() => parseCli(args, { PATH: process.env.PATH, FLEET_API_KEY: 'key', ...env })).toThrow(message);
});

test('a Node without TypeScript starts one with it, and forwards signals and exit codes', async () => {
  const { fleet } = context;
  const cli = start(['--exec', 'cat'], { nodeOptions: ['--no-strip-types'] });
  await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
  cli.signal('SIGTERM');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stderr).toContain('SIGTERM: finishing');
  const wrong = start([], { nodeOptions: ['--no-strip-types'] });
  await expect(wrong.ended()).resolves.toBe(2);
});

function withoutWorker(processes: ReturnType<typeof processTree>, cli: CliProcess) {
  return processes.filter(({ pid }) => pid !== cli.pid);
}
