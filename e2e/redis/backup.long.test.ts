import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand, runCommand } from '@agent-fleet/scripts/testing/command';
import { startTestRedis, type TestServer } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiKey } from '../harness/accounts.ts';
import { Api, pathOf } from '../harness/api.ts';
import { withRedis } from '../harness/redis.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { Work } from '../harness/work.ts';

const SCRIPTS = join(ROOT, 'deploy/redis');
const SETTING = 'auto-aof-rewrite-percentage';
/** Redis rewrites its append-only file all the time. */
const PERCENTAGE = '1';
const REWRITES = [`--${SETTING}`, PERCENTAGE, '--auto-aof-rewrite-min-size', '16kb'];
const BACKUPS = 5;
const WORK_MS = 500;
const [RUNS, HAS_DATA, NO_BACKUP] = [/A Redis runs/, /has data/, /not a backup/].map((text) =>
  expect.stringMatching(text),
);
const NEEDED = ['flock', 'cmp', 'tar'];

const api = new Api();
let redis: TestServer;

if (!CONTROLS_PROCESSES) logOmittedTests('backup');
if (CONTROLS_PROCESSES && NEEDED.every((name) => findOnPath([name]))) describe('A backup of Redis:', specifyBackup);
else test.skip(`a backup needs ${NEEDED.join(', ')}`, () => undefined);

/** The arguments of `sh` for a backup into a file. */
function backUpArgs(file: string): string[] {
  const script = 'exec sh "$0"/back-up-append-only-file.sh "$1" -p "$2" >"$3"';
  return ['-c', script, SCRIPTS, redis.dir, String(redis.port), file];
}

/** Restores a backup into the folder of Redis. */
function restore(file: string, ...options: string[]) {
  const script = 'exec sh "$1"/restore-append-only-file.sh "$2" $3 <"$0"';
  return runCommand('sh', ['-c', script, file, SCRIPTS, redis.dir, ...options]);
}

const environment = () => ({ ...process.env, REDISCLI_AUTH: redis.password });
const fileOf = (name: string) => join(redis.dir, `${name}.tar`);

const readPercentage = () =>
  withRedis(redis.url, async (client) => Object(await client.config('GET', SETTING))[1] as string);
const countRewrites = () =>
  withRedis(redis.url, async (client) => Number(/^aof_rewrites:(\d+)/m.exec(await client.info())?.[1]));

/** What the work has acknowledged by now. */
function acknowledgedBy(work: Work) {
  return { tasks: [...work.tasks.values()], completed: new Map(work.completed) };
}

async function expectRestored({ tasks, completed }: ReturnType<typeof acknowledgedBy>): Promise<void> {
  for (const task of tasks) {
    const { status, json } = await api.get(pathOf(task));
    const by = completed.get(task.id);
    const expected = { status: 'completed', result: { by } };
    expect({ status, json }).toEqual({ status: 200, json: expect.objectContaining(by === undefined ? {} : expected) });
  }
}

function specifyBackup(): void {
  beforeAll(async () => {
    redis = await startTestRedis({ args: REWRITES });
    await api.open({ ownRedis: async () => redis });
  }, 180_000);
  afterAll(() => api.close(), 180_000);

  test('has all that was acknowledged before it began, whatever is written and rewritten meanwhile', async () => {
    const key = await api.accounts.createKey();
    let acknowledged: ReturnType<typeof acknowledgedBy> | undefined;
    await Work.during(api, String(api.types[1]), async (work) => {
      for (let count = 0; count < BACKUPS; count++) {
        await sleep(WORK_MS);
        acknowledged = acknowledgedBy(work);
        await readCommand('sh', backUpArgs(fileOf('backup')), { env: environment() });
      }
    });
    expect(acknowledged?.completed.size).toBeGreaterThan(20);
    expect(await countRewrites()).toBeGreaterThan(BACKUPS);
    expect(await readPercentage()).toBe(PERCENTAGE);
    const later = await api.createAgent();

    expect(await restore(fileOf('backup'), '--force')).toMatchObject({ exitCode: 1, stderr: RUNS });
    await api.fleet.killAll();
    expect(await restore(fileOf('backup'))).toMatchObject({ exitCode: 1, stderr: HAS_DATA });
    expect(await restore('/dev/null', '--force')).toMatchObject({ exitCode: 1, stderr: NO_BACKUP });
    expect(await restore(fileOf('backup'), '--force')).toMatchObject({ exitCode: 0, stderr: '' });
    await api.fleet.restartAll();

    expect((await api.get(`/agents/${later.id}`)).status).toBe(404);
    expect((await api.call('GET', '/agents', { as: apiKey(key.key) })).status).toBe(200);
    await expectRestored(acknowledged as ReturnType<typeof acknowledgedBy>);
    // Completes the tasks that the backup has as pending, too.
    await Work.during(api, String(api.types[1]), () => sleep(WORK_MS));
  }, 300_000);

  test('leaves rewrites as they were, also when the backup before it was killed', async () => {
    const left = async () => {
      const backup = startChild('sh', backUpArgs(fileOf('killed')), { env: environment() });
      while (backup.isRunning() && (await readPercentage()) !== '0');
      await backup.kill();
      return readPercentage();
    };
    await until(async () => (await left()) === '0', { message: 'a backup was killed at its start', pollMs: 0 });
    await readCommand('sh', backUpArgs(fileOf('next')), { env: environment() });
    expect(await readPercentage()).toBe(PERCENTAGE);
    expect(existsSync(join(redis.dir, '.backup'))).toBe(false);
  });

  test('refuses a replica, which may lack acknowledged changes', async () => {
    await withRedis(redis.url, (client) => client.replicaof('127.0.0.1', 1));
    const backup = await runCommand('sh', backUpArgs(fileOf('replica')), { env: environment() });
    await withRedis(redis.url, (client) => client.replicaof('NO', 'ONE'));
    expect(backup).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/back up its primary/) });
  });
}
