import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '@agent-fleet/scripts/local/child-process';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { parseCli } from '../src/cli/options.ts';
import { HEARTBEAT, POLL } from './support/fake-fleet.ts';
import { useFleet } from './support/harness.ts';
import { LAUNCHER, startCommand } from './support/programs.ts';

const { fleet } = await useFleet();
const PACKAGE = resolve(import.meta.dirname, '..');
const dir = ownFolder();

interface CliOptions {
  env?: NodeJS.ProcessEnv;
  nodeOptions?: string[];
  /** Default: this package's. */
  launcher?: string;
  /** Starts the program in a shell that waits for it and forwards no signal, like npx. */
  inShell?: boolean;
}

/** The environment has the API key and the URL of the fleet. */
function start(args: string[], options: CliOptions = {}): Child {
  const { env, nodeOptions = [], launcher = LAUNCHER, inShell = false } = options;
  const command = [process.execPath, ...nodeOptions, launcher, ...args];
  const whole = inShell ? ['sh', '-c', '"$@" & wait', 'sh', ...command] : command;
  return startCommand(whole, { ...process.env, FLEET_API_KEY: 'key', FLEET_URL: fleet.url, ...env });
}

const untilPrinted = ({ written }: Child, text: string) =>
  until(() => written.stderr.includes(text), { message: () => `no "${text}" in ${written.stderr}` });

/** Resolves when no process writes to the output any more. */
async function expectExit({ closed }: Child, code: number): Promise<void> {
  expect((await closed).code).toBe(code);
}

const startSh = (script: string, ...args: string[]) => start([...args, '--exec', 'sh', '--', '-c', script]);

test('runs the program for each task until a signal arrives', async () => {
  const types = ['--type', 'claude', '--type', 'gpt'];
  const cli = start([
    ...types,
    '--label',
    'gpu',
    '--definitions',
    '--exec',
    'cat',
    '--worker-id',
    'me',
    '--lease-seconds',
    '9',
  ]);
  const tasks = ['a', 'b'].map((message) => fleet.add(message));
  for (const task of tasks) await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: { id: task.id } });
  const [poll] = fleet.all(POLL);
  expect(poll?.headers['x-api-key']).toBe('key');
  expect(poll?.body).toMatchObject({ types: ['claude', 'gpt'], worker_id: 'me', lease_seconds: 9, max_tasks: 1 });
  const labels = [`os:${process.platform}`, `arch:${process.arch}`, expect.stringMatching(/^host:/), 'gpu'];
  expect(poll?.body).toMatchObject({ accepts: ['input', 'definitions'], labels });
  cli.signal('SIGTERM');
  await expectExit(cli, 0);
  expect(cli.written.stdout).toBe('');
});

test('prefers options to the environment', () => {
  const env = { FLEET_API_KEY: 'other', FLEET_URL: 'http://127.0.0.1:9', PATH: process.env.PATH };
  const options = ['--url', 'http://mine', '--api-key', 'mine', '--agent', 'a1', '--concurrency=3'];
  const expected = { url: 'http://mine', apiKey: 'mine', agentId: 'a1', concurrency: 3 };
  expect(parseCli(['--exec', 'cat', ...options], env)).toMatchObject({ ...expected, definitions: false });
  const labels = parseCli(['--exec', 'cat', '--label', 'a'], { ...env, FLEET_LABELS: 'b' })?.labels;
  expect(labels?.slice(3)).toEqual(['a']);
  expect(parseCli(['--exec', 'cat'], { ...env, FLEET_LABELS: 'b, c' })?.labels.slice(3)).toEqual(['b', 'c']);
});

test('exits after one task with --once, and forwards the stderr of the program', async () => {
  const [first, second] = [fleet.add('a'), fleet.add('b')];
  const cli = startSh('echo hello from $FLEET_TASK_ID >&2; exit 7', '--once');
  await expectExit(cli, 0);
  expect(cli.written.stderr).toContain(`\nhello from ${first.id}\n`);
  const error = { code: 'exit_7', message: `hello from ${first.id}`, retryable: true };
  await expect(fleet.reportOf(first)).resolves.toMatchObject({ status: 'failed', error });
  expect(fleet.held.map(({ task }) => task.id)).not.toContain(second.id);
});

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s lets the running program finish', async (signal) => {
    const release = join(dir, `finish-${signal}`);
    const task = fleet.add('a');
    const cli = startSh(`until [ -e ${release} ]; do sleep 0.05; done; echo done`);
    await fleet.untilRequested(HEARTBEAT);
    cli.signal(signal);
    // npm repeats signals of the terminal. A repeated signal could be merged with the first.
    cli.signal(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
    await untilPrinted(cli, ': finishing running tasks');
    await sleep(200);
    writeFileSync(release, '');
    await expectExit(cli, 0);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed', result: 'done' });
  });

  test('kills the program at once when it is sent again', async () => {
    fleet.add('a');
    const cli = startSh(`trap '' TERM; sleep 66.25`);
    await fleet.untilRequested(HEARTBEAT);
    await until(() => processTree(cli.pid).length > 1, { message: 'the program runs' });
    const processes = processTree(cli.pid).filter(({ pid }) => pid !== cli.pid);
    cli.signal('SIGINT');
    await untilPrinted(cli, 'finishing');
    await sleep(1_200);
    cli.signal('SIGINT');
    await expectExit(cli, 1);
    expect(processes.length).toBeGreaterThan(0);
    await expect(remaining(processes, 30_000)).resolves.toEqual([]);
  });
});

test('stops when npx exits without forwarding a signal', async () => {
  const task = fleet.add('a');
  const command = ['--exec', 'sh', '--', '-c', 'sleep 1; echo done'];
  const cli = start(command, { env: { npm_command: 'exec' }, inShell: true });
  await fleet.untilRequested(HEARTBEAT);
  cli.signal('SIGKILL');
  await untilPrinted(cli, 'npx has exited: finishing');
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  await cli.closed;
});

test('prints one line and exits with code 1 when the fleet refuses the credentials', async () => {
  fleet.fail(POLL, { status: 403, body: { detail: 'Invalid API key' } });
  const cli = start(['--exec', 'cat']);
  await expectExit(cli, 1);
  expect(cli.written.stderr).toMatch(
    /^fleet-worker: Credentials refused by the fleet at \S+ \(403: Invalid API key\)$/m,
  );
  expect(cli.written.stderr).not.toContain('    at ');
});

test('--help prints the usage', async () => {
  const cli = start(['--help'], { env: { FLEET_API_KEY: '' } });
  await expectExit(cli, 0);
  expect(cli.written.stdout).toMatch(/^Usage: fleet-worker /);
  expect(cli.written.stderr).toBe('');
});

test.each([
  ['--runtime <name>, --acp <program> or --exec <program> is missing', []],
  ['concurrency must be a whole number from 1', ['--exec', 'cat', '--concurrency', '0']],
])('wrong usage exits with code 2 before any request: %s', async (message, args) => {
  const cli = start(args);
  await expectExit(cli, 2);
  expect(cli.written.stderr).toContain(`fleet-worker: ${message}`);
  expect(fleet.requests).toEqual([]);
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
  ['--label must be of a-z', ['--exec', 'cat', '--label', 'GPU'], {}],
  ['--label: a worker has at most 32', ['--exec', 'cat'], { FLEET_LABELS: [...Array(30).keys()].join() }],
])('refuses wrong usage: %s', (message, args, env) => {
  expect(() => parseCli(args, { PATH: process.env.PATH, FLEET_API_KEY: 'key', ...env })).toThrow(message);
});

describe('a Node without TypeScript', () => {
  const nodeOptions = ['--no-strip-types'];

  test('starts the one in node_modules, and forwards signals and exit codes', async () => {
    const launcher = copyPackage('installed');
    const bin = join(dir, 'installed/node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, 'node'));
    const cli = start(['--exec', 'cat'], { launcher, nodeOptions });
    await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
    cli.signal('SIGTERM');
    await expectExit(cli, 0);
    expect(cli.written.stderr).toContain('SIGTERM: finishing');
    await expectExit(start([], { launcher, nodeOptions }), 2);
  });

  test('exits with code 1 and says what to do when there is none in node_modules', async () => {
    const cli = start(['--exec', 'cat'], { launcher: copyPackage('not-installed'), nodeOptions });
    await expectExit(cli, 1);
    expect(cli.written.stderr).toMatch(
      /^fleet-worker needs Node 22\.18 or newer, .*: run npm ci in the repository first$/m,
    );
  });

  /** The repository's node_modules have no Node if the system's Node 26 runs the tests. */
  function copyPackage(name: string): string {
    const root = join(dir, name);
    cpSync(dirname(LAUNCHER), join(root, 'bin'), { recursive: true });
    symlinkSync(join(PACKAGE, 'src'), join(root, 'src'));
    return join(root, 'bin/fleet-worker.mjs');
  }
});
