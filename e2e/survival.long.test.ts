import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Api } from './harness/api.ts';
import type { HttpResponse } from './harness/http-client.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { Work } from './harness/work.ts';
import { writeRegistryFile } from './spec/registry-file.ts';

/** The killed process, and the statuses of each kind of path meanwhile; undefined without a response. */
const VICTIMS = {
  identity: { agents: 200, skills: 200, health: 200 },
  agents: { agents: 503, skills: 200, health: 200 },
  registry: { agents: 200, skills: 503, health: 200 },
  redis: { agents: 503, skills: 200, health: 200 },
  gateway: { agents: undefined, skills: undefined, health: undefined },
};
type Victim = keyof typeof VICTIMS;

const NOTICE_TIMEOUT_MS = 30_000;
const TEST_TIMEOUT_MS = 300_000;
const WORK_MS = 1_500;
const CUT_OFF = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

const api = new Api();
const source = writeRegistryFile();

beforeAll(() => api.open({ ownRedis: startTestRedis, env: { registry: source.env } }), 180_000);
afterAll(async () => {
  await api.close();
  source.close();
}, 180_000);

test('the system reports that it is ready', async () => {
  expect((await api.call('GET', '/ready', { as: 'nobody' })).status).toBe(200);
});

if (CONTROLS_PROCESSES) describe('Killed by SIGKILL under load and restarted:', specifySurvival);
else logOmittedTests('killing processes');

function specifySurvival(): void {
  test.each(Object.keys(VICTIMS) as Victim[])(
    '%s: clients see which paths are unavailable, and no acknowledged change is lost or done twice',
    async (victim) => {
      const before = await snapshot();
      const { tasks, repeated, unexpected } = await Work.during(api, String(api.types[1]), async () => {
        await sleep(WORK_MS);
        if (victim === 'registry') source.close();
        await partOf(victim).kill();
        await expectStatuses(VICTIMS[victim]);
        await partOf(victim).start();
        await api.fleet.untilReady();
        await sleep(WORK_MS);
      });
      expect(tasks.size).toBeGreaterThan(20);
      expect(repeated > 0).toBe(victim !== 'registry' && victim !== 'identity');
      expect(unexpected.filter((problem) => victim !== 'gateway' || !CUT_OFF.includes(problem))).toEqual([]);
      expect(await snapshot()).toEqual(before);
    },
    TEST_TIMEOUT_MS,
  );

  test('tokens, the first user and API keys survive the kills', async () => {
    expect((await api.call('GET', '/protected', { as: 'token' })).json).toEqual({ user: api.admin.email });
    expect((await api.signIn()).status).toBe(200);
  });

  test('requests get 503 within seconds while Redis hangs, and the gateway stays alive', async () => {
    const redis = new Redis(api.fleet.redisUrl);
    const pid = await processIdOf(redis);
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await statuses()).toEqual(VICTIMS.redis);
    } finally {
      process.kill(pid, 'SIGCONT');
      redis.disconnect();
    }
    await api.fleet.untilReady();
    expect((await get('/agents'))?.status).toBe(200);
  });
}

function partOf(victim: Victim): { kill(): Promise<void>; start(): Promise<void> } {
  const { redis, services } = api.fleet;
  if (victim !== 'redis') return services[victim];
  return { kill: async () => redis?.kill(), start: async () => redis?.restart() };
}

/** The parts of the registry's snapshot that clients can see. */
async function snapshot(): Promise<unknown> {
  const [file, status] = await Promise.all([get('/registry.json'), get('/api/registry/status')]);
  const { snapshot_id, source: from } = Object(status?.json) as { snapshot_id?: string; source?: string };
  return { status: file?.status, text: file?.text, etag: file?.headers.etag, snapshot_id, from };
}

/** Waits at most 20 s, less than the 30 s of the gateway; undefined if no process listens. */
async function get(path: string): Promise<HttpResponse | undefined> {
  return api.call('GET', path, { deadlineMs: 20_000 }).catch((error: NodeJS.ErrnoException) => {
    if (!CUT_OFF.includes(String(error.code))) throw error;
    return undefined;
  });
}

/** Soon after an outage begins, each kind of path has its status, and keeps it. */
async function expectStatuses(expected: Awaited<ReturnType<typeof statuses>>): Promise<void> {
  const shows = async () => expect(await statuses()).toEqual(expected);
  await until(async () => shows().then(() => true), { message: 'the outage shows', timeoutMs: NOTICE_TIMEOUT_MS });
  for (let round = 0; round < 20; round++) await shows();
}

/** Returns the status of each kind of path; a 503 must have Retry-After. */
async function statuses() {
  const paths = ['/agents?limit=1', '/api/skills?limit=1', '/health'];
  const responses = await Promise.all(paths.map(get));
  for (const response of responses) {
    if (response?.status === 503) expect(response.headers['retry-after']).toMatch(/^\d+$/);
  }
  const [agents, skills, health] = responses.map((response) => response?.status);
  return { agents, skills, health };
}
