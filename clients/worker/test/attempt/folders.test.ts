import { execFileSync, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { own } from '@agent-fleet/scripts/testing/own';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFolders, type Marker } from '../../src/attempt/folders/attempt-folders.ts';
import { defaultBaseFolder, openBaseFolder } from '../../src/attempt/folders/base-folder.ts';
import { createSweep, type KeepRule } from '../../src/attempt/folders/sweep.ts';

const dir = ownFolder();
let count = 0;
let base = '';
beforeEach(() => {
  base = join(dir, `${++count}`);
});

const HOUR = 3_600_000;
const markOf = (name: string) => hash('md5', join(base, name));

async function addAttempt(name: string, { hoursAgo = 0, ...more }: Partial<Marker> & { hoursAgo?: number } = {}) {
  const root = join(base, name, '1');
  const endedAt = Date.now() - hoursAgo * HOUR;
  const ended: Marker = {
    task: name,
    tasks: [name],
    runtime: 'r',
    session: null,
    clone: null,
    mark: markOf(name),
    startedAt: endedAt,
    end: 'failed',
    endedAt,
    ...more,
  };
  const { tmp } = await createFolders(root, ended);
  own(() => rmSync(dirname(tmp), { recursive: true, force: true }));
  return root;
}

async function addFile(name: string, hoursAgo: number): Promise<string> {
  const file = join(await addAttempt(name, { hoursAgo }), 'workspace/file');
  writeFileSync(file, '');
  return file;
}

/** Each half has a path that can be named, the whole has none. */
function addDeepFolder(folder: string): void {
  const half = Array.from({ length: 12 }, () => 'd'.repeat(200)).join('/');
  for (const name of ['a', 'b']) mkdirSync(join(folder, name, half), { recursive: true });
  writeFileSync(join(folder, 'b', half, 'file'), '');
  renameSync(join(folder, 'b'), join(folder, 'a', half, 'b'));
}

const sweep = (rule: KeepRule, busy = new Set<string>()) => createSweep({ base, rule, busy })();
const kept = (...names: string[]) => names.filter((name) => existsSync(join(base, name)));

describe('a sweep', () => {
  test('keeps by end and age', async () => {
    await addAttempt('failed', { hoursAgo: 100 });
    await addAttempt('failed-old', { hoursAgo: 24 * 8 });
    await addAttempt('session', { end: 'completed', session: 's', hoursAgo: 20 });
    await addAttempt('session-old', { end: 'completed', session: 's', hoursAgo: 25 });
    await addAttempt('done', { end: 'completed' });
    await addAttempt('abandoned', { end: 'abandoned', session: 's' });
    await addAttempt('killed', { end: null, endedAt: null, session: 's' });
    const all = ['failed', 'failed-old', 'session', 'session-old', 'done', 'abandoned', 'killed'];
    await sweep('failed');
    expect(kept(...all)).toEqual(['failed', 'session']);
    await sweep('none');
    expect(kept(...all)).toEqual([]);
  });

  test('keeps all with the rule all, but not for ever, and what runs', async () => {
    await addAttempt('done', { end: 'completed', hoursAgo: 100 });
    await addAttempt('old', { end: 'completed', hoursAgo: 200 });
    await sweep('all', new Set([await addAttempt('runs', { end: null, hoursAgo: 300 })]));
    expect(kept('done', 'old', 'runs')).toEqual(['done', 'runs']);
  });

  test('keeps the newest hundred', async () => {
    const names = Array.from({ length: 102 }, (_, i) => `t${i}`);
    for (const [i, name] of names.entries()) await addAttempt(name, { hoursAgo: i / 10 });
    await sweep('failed');
    expect(kept(...names)).toEqual(names.slice(0, 100));
  });

  test('deletes one that is too large, and no older ones for it', async () => {
    truncateSync(await addFile('large', 1), 11 * 1024 ** 3);
    await addFile('small', 2);
    await sweep('failed');
    expect(kept('large', 'small')).toEqual(['small']);
  });

  test('waits for no pipe in the place of a marker', async () => {
    const marker = join(await addAttempt('pipe'), 'attempt.json');
    rmSync(marker);
    execFileSync('mkfifo', [marker]);
    await sweep('all');
    expect(kept('pipe')).toEqual([]);
  });

  test('deletes a folder without a marker, and leaves other names alone', async () => {
    mkdirSync(join(base, 'task/1'), { recursive: true });
    mkdirSync(join(base, '.repositories/x'), { recursive: true });
    writeFileSync(join(base, 'worker-id'), 'w');
    await sweep('all');
    expect(kept('task', '.repositories/x', 'worker-id')).toEqual(['.repositories/x', 'worker-id']);
  });

  test('deletes the empty folder of a task, whose worker was killed as it began or ended', async () => {
    mkdirSync(join(base, 'empty'), { recursive: true });
    await addAttempt('failed');
    await sweep('failed');
    expect(kept('empty', 'failed')).toEqual(['failed']);
  });

  test('deletes folders in each other whose path is longer than the system takes', async () => {
    const root = await addAttempt('deep', { end: 'completed' });
    addDeepFolder(root);
    await sweep('failed');
    expect(kept('deep')).toEqual([]);
  });

  test('goes on after a folder that cannot be deleted, and says so', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await addAttempt(name, { end: 'completed' });
    addDeepFolder(join(base, 'c/1'));
    const { PATH } = process.env;
    // Without the programs that delete it.
    process.env.PATH = '';
    await expect(sweep('failed').finally(() => Object.assign(process.env, { PATH }))).rejects.toThrow(
      'cannot be deleted',
    );
    expect(kept(...names)).toEqual(['c']);
    await sweep('failed');
    expect(kept('c')).toEqual([]);
  });

  test('kills what a killed worker left running', async () => {
    const child = spawn('sleep', ['75.25'], { env: { TMPDIR: `/tmp/${markOf('left')}` } });
    const exited = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    await addAttempt('left', { end: null });
    await sweep('failed');
    await expect(exited).resolves.toBe('SIGKILL');
  });
});

describe('the folder of a worker', () => {
  test('has one worker at a time, and the same id for each', () => {
    const first = openBaseFolder(base);
    expect(() => openBaseFolder(base)).toThrow(new RegExp(`process id ${process.pid} .* is using it`));
    first.unlock();
    const second = openBaseFolder(base);
    expect(second.workerId).toBe(first.workerId);
    second.unlock();
    expect(existsSync(join(base, 'worker.lock'))).toBe(false);
  });

  test('is none that has something else in it', () => {
    mkdirSync(base);
    writeFileSync(join(base, 'thesis.txt'), '');
    expect(() => openBaseFolder(base)).toThrow('it is not empty');
  });

  test('is below the state of the user by default', () => {
    expect(defaultBaseFolder({ XDG_STATE_HOME: '/s' }, 'codex')).toBe('/s/agent-fleet/workers/codex');
    expect(defaultBaseFolder({ HOME: '/h' }, 'codex')).toBe('/h/.local/state/agent-fleet/workers/codex');
  });
});
