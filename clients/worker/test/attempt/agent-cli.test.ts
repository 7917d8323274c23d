import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '@agent-fleet/scripts/local/child-process';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { processTree } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { parseCli } from '../../src/cli/options.ts';
import { HEARTBEAT, POLL } from '../support/fake-fleet.ts';
import { useFleet } from '../support/harness.ts';
import { expectEnd, LAUNCHER, startCommand, writtenBy } from '../support/programs.ts';

const { fleet } = await useFleet();
const dir = ownFolder();
const bin = join(dir, 'bin');
mkdirSync(bin);
let count = 0;

/** A program with the output of Codex that runs a script in between. */
function fakeCodex(script: string, version = 'codex-cli 0.171.0'): string {
  const path = join(bin, `codex-${++count}`);
  const at = { threadId: '0199a213-81c0-7800-8aa1-bbab2a035a53' };
  const [initialized, thread, turn, message, end] = [
    { id: 1, result: {} },
    { id: 2, result: { thread: { id: at.threadId } } },
    { id: 3, result: { turn: { id: 't' } } },
    { method: 'item/completed', params: { ...at, item: { id: 'i', type: 'agentMessage', text: 'done' } } },
    { method: 'turn/completed', params: { ...at, turn: { id: 't', status: 'completed' } } },
  ].map((event) => `printf '%s\\n' '${JSON.stringify(event)}'`);
  const lines = ['#!/bin/sh', `[ "$1" = --version ] && { echo '${version}'; exit; }`];
  const begin = ['read -r line', initialized, 'read -r line; read -r line', thread, 'read -r line', turn];
  writeFileSync(path, [...lines, ...begin, script, message, end].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

const newFile = () => join(dir, `file-${++count}`);
const newBase = () => join(dir, `base-${++count}`);

function start(args: string[], env: NodeJS.ProcessEnv = {}): Child {
  const keys = { FLEET_API_KEY: 'fleet-key-1', OPENAI_API_KEY: 'sk-provider-1' };
  const variables = { PATH: process.env.PATH, HOME: dir, FLEET_URL: fleet.url, ...keys, ...env };
  return startCommand([process.execPath, LAUNCHER, ...args], variables);
}

const codex = (program: string, base = newBase()) => [
  '--runtime',
  'codex',
  '--runtime-path',
  program,
  '--workspaces',
  base,
];

describe('the program', () => {
  test('has an agent work on tasks of its type, under an id that stays', async () => {
    const base = newBase();
    const task = fleet.add('Say it');
    const cli = start([...codex(fakeCodex(''), base), '--once']);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({
      status: 'completed',
      result: { text: 'done', session: { runtime: 'codex' } },
    });
    expect((await cli.closed).code).toBe(0);
    const [poll] = fleet.all(POLL);
    expect(poll?.body).toMatchObject({
      types: ['gpt'],
      accepts: ['messages', 'steer', 'interrupt', 'input', 'definitions'],
      worker_id: readFileSync(join(base, 'worker-id'), 'utf8').trim(),
    });
    expect(existsSync(join(base, 'worker.lock'))).toBe(false);
    expect(cli.written.stderr).not.toMatch(/was tried with|Warning/);
  });

  test('shows no secret in its own environment, which agents can read', async () => {
    const file = newFile();
    const task = fleet.add('Look around');
    start([...codex(fakeCodex(`cat /proc/$PPID/environ | tr '\\0' '\\n' > ${file}; env >> ${file}`)), '--once']);
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'completed' });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('FLEET_URL=');
    expect(text).not.toMatch(/fleet-key-1|sk-provider-1/);
  });

  test('warns about a version that was not tried', async () => {
    fleet.add('a');
    const cli = start([...codex(fakeCodex('', 'codex-cli 9.0.0')), '--once']);
    await cli.closed;
    expect(cli.written.stderr).toMatch(/has version 9\.0\.0; this worker was tried with/);
  });

  test('exits with code 2 when the folder has another worker', async () => {
    const base = newBase();
    start(codex(fakeCodex(''), base));
    await fleet.untilRequested(POLL);
    const second = start(codex(fakeCodex(''), base));
    expect((await second.closed).code).toBe(2);
    expect(second.written.stderr).toContain('is using it');
  });

  test('exits with code 2 when the program does not run', async () => {
    const broken = join(bin, 'broken');
    writeFileSync(broken, '#!/bin/sh\necho libssl is missing >&2\nexit 127\n', { mode: 0o755 });
    const cli = start(codex(broken));
    expect((await cli.closed).code).toBe(2);
    expect(cli.written.stderr).toContain('--version failed: libssl is missing');
    expect(fleet.requests).toEqual([]);
  });
});

describe('kill -9 of the worker ends', () => {
  const leave = (file: string, seconds: string) => `setsid sleep ${seconds} > /dev/null 2>&1 & echo $! > ${file}`;

  test.each<[string, string, (script: string) => string[]]>([
    ['an agent and what it started', '81.25', (script) => codex(fakeCodex(`trap '' TERM; ${script}`))],
    ['a program and what it started', '82.25', (script) => ['--exec', 'sh', '--', '-c', script]],
  ])('%s', async (_title, seconds, argsOf) => {
    const [child, own] = [newFile(), newFile()];
    fleet.add('a');
    const cli = start(argsOf(`echo $$ > ${own}; ${leave(child, seconds)}; sleep 9${seconds}`));
    await fleet.untilRequested(HEARTBEAT);
    await writtenBy(child);
    const pid = Number(await writtenBy(own));
    expect(processTree(pid)).not.toEqual([]);
    const beganAt = performance.now();
    cli.signal('SIGKILL');
    await expectEnd(child, `sleep ${seconds}`);
    await until(() => processTree(pid).length === 0, { message: 'the program has ended' });
    expect(performance.now() - beganAt).toBeLessThan(12_000);
  });
});

describe('the options', () => {
  const env = {
    PATH: process.env.PATH,
    FLEET_API_KEY: 'key',
    OPENAI_API_KEY: 'sk',
    ANTHROPIC_API_KEY: 'sk',
    TOKEN_X: 't',
  };
  const program = fakeCodex('');
  const agent = ['--runtime', 'codex', '--runtime-path', program];

  test('have defaults', () => {
    expect(parseCli(agent, { ...env, XDG_STATE_HOME: '/state' })).toMatchObject({
      types: ['gpt'],
      agent: {
        runtime: { name: 'codex' },
        ...{ program, permissions: 'edit', keep: 'failed', repositories: [], passEnv: [], maxCost: undefined },
        ...{ idleSeconds: 300, skills: 'verified', workspaces: '/state/agent-fleet/workers/codex' },
      },
    });
    expect(parseCli([...agent, '--type', 'mine'], env)?.types).toEqual(['mine']);
    expect(parseCli([...agent, '--agent', 'a1'], env)?.types).toBeUndefined();
  });

  test('allow everything when the machine is isolated', () => {
    expect(parseCli([...agent, '--permissions', 'full', '--i-am-isolated'], env)?.agent?.permissions).toBe('full');
  });

  test('have the secrets that definitions may name, in files that are read each time', () => {
    const file = newFile();
    writeFileSync(file, 'first\n');
    const given = { ...env, FLEET_SECRET_B: 'of b', FLEET_SECRET_A: 'not this' };
    const options = parseCli([...agent, '--secret-file', `A=${file}`, '--mcp-command', 'npx'], given);
    const { secretOf, mcpCommands } = options?.agent ?? {};
    writeFileSync(file, 'second\n');
    expect(['A', 'B', 'C'].map((name) => secretOf?.(name))).toEqual(['second', 'of b', undefined]);
    expect(mcpCommands).toEqual(['npx']);
    expect(options?.labels[0]).toBe('runtime:codex');
    expect(options?.definitions).toBe(true);
  });

  test('pass keys of providers to an agent with credentials of its own', () => {
    const options = parseCli(['--acp', 'sh', '--pass-env', 'OPENAI_API_KEY', '--', '-c', 'true'], env);
    expect(options?.agent?.passEnv).toEqual(['OPENAI_API_KEY']);
    expect(options?.types).toBeUndefined();
  });

  test('read keys of providers from files, in the place of the environment or besides it', () => {
    const file = newFile();
    writeFileSync(file, 'sk-1\n');
    const options = parseCli([...agent, '--provider-key-file', `openai=${file}`], { ...env, OPENAI_API_KEY: '' });
    expect(options?.agent?.providerKeys).toEqual([{ provider: 'openai', key: 'sk-1' }]);
  });

  test.each<[string, string[], NodeJS.ProcessEnv?]>([
    ['--exec and --runtime exclude each other', ['--exec', 'cat', ...agent]],
    ['--runtime and --acp exclude each other', [...agent, '--acp', 'cat']],
    ['--model is for --runtime and --acp', ['--exec', 'cat', '--model', 'm']],
    ['--runtime must be one of claude-code, codex', ['--runtime', 'constructor']],
    ['--runtime takes no arguments after --', [...agent, '--', 'x']],
    ['--runtime-path is for --runtime', ['--acp', 'cat', '--runtime-path', 'x']],
    ['codex not found on PATH: install it', ['--runtime', 'codex'], { PATH: '/nowhere' }],
    ['./missing not found', ['--runtime', 'codex', '--runtime-path', './missing']],
    ['OPENAI_API_KEY is not set', agent, { OPENAI_API_KEY: '' }],
    ['--permissions must be one of read-only, edit, full', [...agent, '--permissions', 'all']],
    ['Add --i-am-isolated', [...agent, '--permissions', 'full']],
    ['--keep-workspaces must be one of', [...agent, '--keep-workspaces', 'some']],
    ['--skills must be one of', [...agent, '--skills', 'on']],
    ['--max-cost must be an amount', [...agent, '--max-cost', '0']],
    ['--max-cost cannot be enforced', ['--acp', 'cat', '--max-cost', '1']],
    ['--idle-seconds must be a whole number', [...agent, '--idle-seconds', '0']],
    ['--pass-env NOT_SET: the variable is not set', [...agent, '--pass-env', 'NOT_SET']],
    ['--provider-key-file must be <provider>=<file>', [...agent, '--provider-key-file', 'x=/dev/null']],
    ['--provider-key-file: /dev/null is empty', [...agent, '--provider-key-file', 'openai=/dev/null']],
    ['--pass-env takes the name', [...agent, '--pass-env', 'A=b']],
    ['--pass-env FLEET_API_KEY: agents never', [...agent, '--pass-env', 'FLEET_API_KEY']],
    ['--pass-env OPENAI_API_KEY: the key stays', [...agent, '--pass-env', 'OPENAI_API_KEY']],
    ['--secret-file takes <name>=<path>', [...agent, '--secret-file', 'A']],
    ['--secret-file: ENOENT', [...agent, '--secret-file', 'A=/nowhere/a']],
    ['--repository must not be empty', [...agent, '--repository', '']],
    ['--repository needs git', [...agent, '--repository', 'https://example.com/'], { PATH: '/nowhere' }],
  ])('refuse wrong usage: %s', (message, args, more = {}) => {
    expect(() => parseCli(args, { ...env, ...more })).toThrow(message);
  });
});
