// Puts one fault after another into a copy of this checkout, and runs the tests that must find it:
// node scripts/mutations/mutate.ts [--only <part of a name>] [--shard <i>/<n>]
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitOnSignals } from '../launcher/parent.ts';
import { ROOT } from '../services.ts';
import { readCommand, runCommand } from '../testing/command.ts';
import type { Mutation } from './mutation.ts';
import { isLong, MUTATIONS } from './mutations.ts';

const JEST = ['node_modules/jest/bin/jest.js', '--bail'];
const TIMEOUT_MS = 1_800_000;
/** Of a failed test, as jest prints it. */
const FAILURE = /^ {2}● (.+)$/m;
const NOT_RUN = 'Test suite failed to run';

const { values } = parseArgs({ options: { only: { type: 'string' }, shard: { type: 'string' } } });
const mutations = choose(values.only ?? '', values.shard ?? '1/1');
const dir = mkdtempSync(join(tmpdir(), 'fleet-mutations-'));
const copy = join(dir, 'checkout');
/** Test files that pass without a fault. */
const passing = new Set<string>();

exitOnSignals();
process.on('exit', removeCopy);
await makeCopy();
let caught = 0;
for (const mutation of mutations) if (await isCaught(mutation)) caught += 1;
console.log(`${caught} caught, ${mutations.length - caught} survived`);
process.exitCode = caught === mutations.length ? 0 : 1;

function choose(only: string, shard: string): Mutation[] {
  const [, index, count] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(shard) ?? [];
  if (!index || !count) throw new Error('--shard is <i>/<n>, such as 1/2');
  const chosen = MUTATIONS.filter(({ name }) => name.includes(only));
  return chosen.filter((_, at) => at % Number(count) === Number(index) - 1);
}

/** A worktree of the present commit, with changes that are not committed, except new files. */
async function makeCopy(): Promise<void> {
  const changes = (await readCommand('git', ['stash', 'create'], { cwd: ROOT })).trim();
  await readCommand('git', ['worktree', 'add', '--detach', copy, changes || 'HEAD'], { cwd: ROOT });
  // The workspaces are links: those of the copy must lead to the copy.
  const [packages, linked] = [join(ROOT, 'node_modules'), join(copy, 'node_modules')];
  mkdirSync(linked);
  for (const name of readdirSync(packages)) {
    if (name !== '@agent-fleet') symlinkSync(join(packages, name), join(linked, name));
  }
  await readCommand('cp', ['-a', join(packages, '@agent-fleet'), linked]);
  const manifests = await readCommand('git', ['ls-files', '*/package.json'], { cwd: ROOT });
  for (const workspace of manifests.trim().split('\n').map(dirname)) {
    const own = join(ROOT, workspace, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(copy, workspace, 'node_modules'));
  }
}

function removeCopy(): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  execFileSync('git', ['worktree', 'prune'], { cwd: ROOT });
}

async function isCaught({ name, file, find, replace, tests }: Mutation): Promise<boolean> {
  const path = join(copy, file);
  const broken = await findBroken(tests);
  if (broken) {
    console.log(`NOT RUN  ${name}: ${broken} fails without a fault`);
    return false;
  }
  const before = readFileSync(path, 'utf8');
  if (before.split(find).length !== 2) throw new Error(`${name}: ${file} does not have this text once: ${find}`);
  writeFileSync(path, before.split(find).join(replace));
  try {
    const { outcome, seconds, detail } = await runTests(tests);
    console.log(`${outcome.padEnd(8)} ${name} (${seconds.toFixed(0)} s)${detail}`);
    return outcome === 'caught';
  } finally {
    writeFileSync(path, before);
  }
}

/** Runs each test file without a fault, once, and returns the first that fails. */
async function findBroken(tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) {
    if (!passing.has(test) && (await runTests([test])).outcome !== 'SURVIVED') return test;
    passing.add(test);
  }
  return undefined;
}

/** Runs tests until one fails, whose name is the detail. Tests that do not run at all have caught nothing. */
async function runTests(tests: readonly string[]) {
  const { exitCode, stdout, stderr, seconds } = await runCommand(process.execPath, [...JEST, ...tests], {
    cwd: copy,
    env: { ...process.env, TESTS: tests.every(isLong) ? 'long' : 'quick' },
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode === 0) return { outcome: 'SURVIVED', seconds, detail: '' };
  const [, failure = NOT_RUN] = FAILURE.exec(stderr) ?? [];
  if (failure !== NOT_RUN) return { outcome: 'caught', seconds, detail: `: ${failure}` };
  return { outcome: 'NOT RUN', seconds, detail: ` (${exitCode})\n${stdout}${stderr}` };
}
