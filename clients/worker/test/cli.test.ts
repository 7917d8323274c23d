import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { CliProcess, type CliProcessOptions } from './support/cli-process.ts';
import { useFleet } from './support/harness.ts';

const POLL = /^POST .*\/leases$/;
const BEAT = /heartbeat$/;
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

/** With the key and the fleet in its environment. */
function start(args: string[], { env = {}, ...options }: CliProcessOptions = {}): CliProcess {
  const cli = new CliProcess(args, { env: { FLEET_API_KEY: 'key', FLEET_URL: context.fleet.url, ...env }, ...options });
  started.push(cli);
  return cli;
}

const startSh = (script: string, ...args: string[]) => start([...args, '--exec', 'sh', '--', '-c', script]);

test('every task is given to the program, until a signal comes', async () => {
  const { fleet } = context;
  const cli = start([
    '--type',
    'claude',
    '--type',
    'gpt',
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
  cli.signal('SIGTERM');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stdout).toBe('');
});

test('options go before the environment', async () => {
  const env = { FLEET_API_KEY: 'other', FLEET_URL: 'http://127.0.0.1:9' };
  start(['--agent', 'a1', '--exec', 'cat', '--url', context.fleet.url, '--api-key', 'mine', '--concurrency=3'], {
    env,
  });
  const [poll] = await context.fleet.untilAsked(POLL);
  expect(poll).toMatchObject({ path: '/agents/a1/leases', headers: { 'x-api-key': 'mine' }, body: { max_tasks: 3 } });
});

test('with --once it ends after one task; what the program says goes to its own stderr', async () => {
  const { fleet } = context;
  const [first, second] = [fleet.add('a'), fleet.add('b')];
  const cli = startSh('echo hello from $FLEET_TASK_ID >&2; exit 7', '--once');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stderr).toContain(`\nhello from ${first.id}\n`);
  await expect(fleet.reportOf(first)).resolves.toMatchObject({
    status: 'failed',
    error: { code: 'exit_7', message: `hello from ${first.id}`, retryable: true },
  });
  expect(fleet.held.map(({ task }) => task.id)).not.toContain(second.id);
});

test('it outlives a fleet that goes away while the program works', async () => {
  const { fleet } = context;
  const task = fleet.add('a');
  const cli = startSh('sleep 2; echo \'"done"\'');
  await fleet.untilAsked(BEAT);
  await fleet.goAway();
  await cli.untilPrinted('is away');
  await sleep(3_000);
  await fleet.comeBack();
  await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'completed', result: 'done' });
  await expect(fleet.reportOf(fleet.add('b'))).resolves.toMatchObject({ status: 'completed' });
  await cli.untilPrinted('is back after');
});

test('a cancelled task ends the program', async () => {
  const { fleet } = context;
  const task = fleet.add('a');
  startSh('sleep 64.25');
  await fleet.untilAsked(BEAT);
  fleet.cancel(task);
  await expect(fleet.reportOf(task)).resolves.toEqual({ status: 'cancelled' });
});

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s lets the running program finish', async (signal) => {
    const { fleet } = context;
    const release = join(dir, `finish-${signal}`);
    const task = fleet.add('a');
    const cli = startSh(`until [ -e ${release} ]; do sleep 0.05; done; echo done`);
    await fleet.untilAsked(BEAT);
    cli.signal(signal);
    // npm sends what the terminal has sent already: no second wish. The same signal twice would come as one.
    cli.signal(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
    await cli.untilPrinted(': finishing what runs');
    await sleep(200);
    writeFileSync(release, '');
    await expect(cli.ended()).resolves.toBe(0);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed', result: 'done' });
  });

  test('ends a program that does not finish in time, and gives its task back', async () => {
    const { fleet } = context;
    const task = fleet.add('a');
    const cli = startSh('sleep 65.25', '--stop-seconds', '0');
    await fleet.untilAsked(BEAT);
    const processes = processTree(cli.pid).filter(({ command }) => command.includes('65.25'));
    cli.signal('SIGTERM');
    await expect(cli.ended()).resolves.toBe(0);
    await fleet.untilReleased(task);
    await expect(remaining(withoutWorker(processes, cli), 30_000)).resolves.toEqual([]);
  });

  test('that comes again ends all at once', async () => {
    const { fleet } = context;
    fleet.add('a');
    const cli = startSh(`trap '' TERM; sleep 66.25`);
    await fleet.untilAsked(BEAT);
    await until(() => processTree(cli.pid).length > 1, { message: 'the program does not run' });
    const processes = withoutWorker(processTree(cli.pid), cli);
    cli.signal('SIGINT');
    await cli.untilPrinted('finishing');
    await sleep(1_500);
    cli.signal('SIGINT');
    await expect(cli.ended()).resolves.toBe(1);
    expect(processes.length).toBeGreaterThan(0);
    await expect(remaining(processes, 30_000)).resolves.toEqual([]);
  });
});

test('with npx that ends without a word it stops, too', async () => {
  const { fleet } = context;
  const task = fleet.add('a');
  const cli = start(['--exec', 'sh', '--', '-c', 'sleep 2; echo done'], {
    env: { npm_command: 'exec' },
    inShell: true,
  });
  await fleet.untilAsked(BEAT);
  cli.signal('SIGKILL');
  await cli.untilPrinted('npx has ended: finishing');
  await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
  await cli.ended();
});

test('what the fleet refuses for good is one line and exit code 1', async () => {
  context.fleet.fail(POLL, { status: 403, body: { detail: 'Invalid API key' } });
  const cli = start(['--exec', 'cat']);
  await expect(cli.ended()).resolves.toBe(1);
  expect(cli.stderr).toMatch(/^fleet-worker: Credentials refused by the fleet at \S+ \(403: Invalid API key\)$/m);
  expect(cli.stderr).not.toContain('    at ');
});

test('--help tells how it is used', async () => {
  const cli = new CliProcess(['--help']);
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stdout).toMatch(/^Usage: fleet-worker /);
  expect(cli.stderr).toBe('');
});

describe('wrong usage is told at once, with exit code 2', () => {
  const plain = join(dir, 'plain.txt');
  writeFileSync(plain, '');
  chmodSync(plain, 0o644);
  test.each<[string, string[], NodeJS.ProcessEnv]>([
    ['no program: give --exec', [], {}],
    ['no program ./missing', ['--exec', './missing'], {}],
    ['no program missing on PATH', ['--exec', 'missing'], {}],
    ['the one that is here is ./package.json', ['--exec', 'package.json'], {}],
    [`${plain} is not an executable file`, ['--exec', plain], {}],
    ['no API key: set FLEET_API_KEY', ['--exec', 'cat'], { FLEET_API_KEY: '' }],
    ['--concurrency must be a whole number', ['--exec', 'cat', '--concurrency', 'x'], {}],
    ['concurrency must be a whole number from 1', ['--exec', 'cat', '--concurrency', '0'], {}],
    ['url must be like', ['--exec', 'cat', '--url', 'localhost'], {}],
    ['exclude each other', ['--exec', 'cat', '--type', 'a', '--agent', 'b'], {}],
    ['--verbose', ['--exec', 'cat', '--verbose'], {}],
  ])('%s', async (message, args, env) => {
    const cli = start(args, { env });
    await expect(cli.ended()).resolves.toBe(2);
    expect(cli.stderr).toContain(`fleet-worker: `);
    expect(cli.stderr).toContain(message);
    expect(context.fleet.asked).toEqual([]);
  });
});

test('a Node that runs no TypeScript hands over to one that does, with signals and exit codes', async () => {
  const { fleet } = context;
  const nodeOptions = ['--no-strip-types'];
  const wrong = start([], { nodeOptions });
  await expect(wrong.ended()).resolves.toBe(2);
  const cli = start(['--exec', 'cat'], { nodeOptions });
  await expect(fleet.reportOf(fleet.add('a'))).resolves.toMatchObject({ status: 'completed' });
  cli.signal('SIGTERM');
  await expect(cli.ended()).resolves.toBe(0);
  expect(cli.stderr).toContain('SIGTERM: finishing');
});

function withoutWorker(processes: ReturnType<typeof processTree>, cli: CliProcess) {
  return processes.filter(({ pid }) => pid !== cli.pid);
}
