import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type CommandResult, readCommand, runCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { beforeAll, expect, test } from '@jest/globals';

const CLI = resolve(import.meta.dirname, '../..');
/** Makes what a fleet serves below `/download`. */
const DOWNLOADS = resolve(CLI, '../../scripts/packages/downloads.ts');
const MAX_BYTES = 3 * 1024 * 1024;
/** Prints at the end which of Node's own modules were loaded. */
const PRINT_MODULES = `data:text/javascript,process.on('exit', () => console.error(process.moduleLoadList.join('\\n')))`;

const folder = ownFolder();
const app = join(folder, 'app');
const bin = join(app, 'node_modules/.bin/fleet');
const installed = join(app, 'node_modules/agent-fleet');

beforeAll(async () => {
  await readCommand(process.execPath, [DOWNLOADS, folder]);
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{}');
  const options = ['--offline', '--no-audit', '--no-fund'];
  await readCommand('npm', ['install', ...options, join(folder, 'fleet.tgz')], { cwd: app });
}, 120_000);

/** Runs the installed `fleet` by the Node of the system, which may be an older one. */
function fleet(...args: string[]): Promise<CommandResult> {
  return runBySystemNode(bin, args);
}

function runBySystemNode(command: string, args: string[]): Promise<CommandResult> {
  const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const PATH = [...paths, dirname(process.execPath)].join(delimiter);
  return runCommand(command, args, { cwd: app, env: { PATH, HOME: folder }, timeoutMs: 60_000 });
}

function bytesBelow(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

test('the package takes at most 3 MiB, has no dependencies, and names the licences of what is in it', () => {
  expect(bytesBelow(app)).toBeLessThan(MAX_BYTES);
  const { dependencies, bin: programs } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect({ dependencies, programs }).toEqual({ dependencies: undefined, programs: { fleet: 'fleet.mjs' } });
  const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const name of Object.keys(JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')).dependencies)) {
    if (!name.startsWith('@agent-fleet/')) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});

test.each([
  [['--version'], 0, /^1\.0\.0\n$/],
  [['--help'], 0, /Usage: fleet/],
  [['agents', 'list', '--url', 'http://127.0.0.1:9'], 6, /^$/],
  [['tasks', 'add', '--help'], 0, /--priority/],
  [['worker', '--help'], 0, /--exec/],
  [['skills', 'list', '--json'], 0, /^\[\]\n$/],
  [['completion', 'bash'], 0, /^# bash completion for fleet/],
  [['complete', '--', 'agents', 'pau'], 0, /^pause\t/],
  [['nothing'], 2, /^$/],
] as [string[], number, RegExp][])('the installed package runs fleet %j', async (args, exitCode, stdout) => {
  const result = await fleet(...args);
  expect({ ...result, seconds: 0 }).toMatchObject({ exitCode, stdout: expect.stringMatching(stdout) });
});

test('programs import the SDK and the library of the worker from the installed package', async () => {
  const program = `
    import { createFleet } from 'agent-fleet';
    import { runWorker } from 'agent-fleet/worker';
    console.log(typeof createFleet, typeof runWorker);
  `;
  const { stdout, stderr } = await runBySystemNode('node', ['--input-type=module', '--eval', program]);
  expect([stdout, stderr]).toEqual(['function function\n', '']);
});

test('fleet --help loads nothing that only requests need', async () => {
  const entry = join(installed, 'fleet.mjs');
  const { stderr } = await runCommand(process.execPath, ['--import', PRINT_MODULES, entry, '--help'], {
    env: { PATH: process.env.PATH, HOME: folder },
  });
  expect(stderr).toContain('NativeModule');
  expect(stderr).not.toMatch(/undici|NativeModule _http_client/);
});
