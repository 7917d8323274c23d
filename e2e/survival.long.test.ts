import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Api } from './harness/api.ts';
import type { Answer } from './harness/http-client.ts';
import { HAS_HANDS, sayWhatIsLeftOut, signIn } from './harness/system.ts';
import { Work } from './harness/work.ts';
import { expectAcknowledged, expectAgreement, letTheSweepRepair } from './survival/agreement.ts';
import { Acknowledged, Load } from './survival/load.ts';
import { type RegistrySource, startRegistrySource } from './survival/registry-source.ts';

/** What is killed, and how it looks from outside: undefined where there is no answer at all. */
const VICTIMS = {
  agents: { agents: 503, skills: 200, health: 200 },
  registry: { agents: 200, skills: 503, health: 200 },
  redis: { agents: 503, skills: 200, health: 200 },
  gateway: { agents: undefined, skills: undefined, health: undefined },
} as const;
type Victim = keyof typeof VICTIMS;

const PATHS = { agents: '/agents?limit=1', skills: '/api/skills?limit=1', health: '/health' };
const NOTICE_TIMEOUT_MS = 30_000;
const TEST_TIMEOUT_MS = 300_000;
const WORK_MS = 1_500;

const api = new Api();
let source: RegistrySource | undefined;

beforeAll(async () => {
  if (!HAS_HANDS) return api.open();
  source = await startRegistrySource();
  await api.open({ ownRedis: true, env: { registry: { REGISTRY_SOURCE_URL: source.url } } });
}, 180_000);
afterAll(async () => {
  await api.close();
  source?.goAway();
}, 180_000);

test('the system reports that it is ready', async () => {
  expect((await api.call('GET', '/ready', { as: 'nobody' })).status).toBe(200);
});

if (HAS_HANDS) describe('Killed with -9 under load and started again:', specifySurvival);
else sayWhatIsLeftOut('killing processes');

function specifySurvival(): void {
  const victims = Object.keys(VICTIMS) as Victim[];
  const acknowledged = new Acknowledged();

  test(
    'every acknowledged task ends exactly once while each service is killed in turn under work',
    async () => {
      // First of all: later there are tasks of all types, which are not for workers.
      const work = await Work.start(api.system, String(api.types[1]));
      for (const victim of ['agents', 'redis', 'gateway'] as const) {
        await sleep(WORK_MS);
        await partOf(victim).kill();
        await partOf(victim).start();
        await api.fleet.untilReady();
      }
      await sleep(WORK_MS);
      await work.finish();
      expect(work.report.tasks.size).toBeGreaterThan(20);
      expect(work.report.again).toBeGreaterThan(0);
    },
    TEST_TIMEOUT_MS,
  );

  test.each(victims)(
    '%s: nothing acknowledged is lost, and meanwhile clients are told',
    async (victim) => {
      const before = await snapshot();
      const load = new Load(api, acknowledged, { mayBeCutOff: victim === 'gateway' });
      load.start();
      await load.progress(30);
      if (victim === 'registry') source?.goAway();
      await partOf(victim).kill();
      await expectToLook(VICTIMS[victim]);
      await partOf(victim).start();
      await api.fleet.untilReady();
      await load.progress(30);
      await load.stop();
      expect(load.violations).toEqual([]);
      expect(load.refused > 0).toBe(victim !== 'registry');
      await expectAcknowledged(api, acknowledged);
      expect(await snapshot()).toEqual(before);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'lists, totals and filters agree with the records after all kills, and nothing is partially written',
    async () => {
      await letTheSweepRepair(api.fleet);
      await expectAcknowledged(api, acknowledged);
      await expectAgreement(api, api.fleet);
    },
    TEST_TIMEOUT_MS,
  );

  test('tokens, the first user and API keys survive the kills', async () => {
    expect((await api.call('GET', '/protected', { as: 'token' })).json).toEqual({ user: api.system.admin.email });
    expect((await signIn(api.system.http, api.system.admin)).status).toBe(200);
  });

  test('requests get 503 within seconds while Redis hangs, and the gateway stays alive', async () => {
    const redis = new Redis(api.fleet.redisUrl);
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      const [agents, health] = await Promise.all([ask(PATHS.agents), ask(PATHS.health)]);
      expect([agents?.status, health?.status]).toEqual([503, 200]);
      expect(agents?.headers['retry-after']).toMatch(/^\d+$/);
    } finally {
      process.kill(pid, 'SIGCONT');
      redis.disconnect();
    }
    await api.fleet.untilReady();
    expect((await ask(PATHS.agents))?.status).toBe(200);
  });
}

function partOf(victim: Victim): { kill(): Promise<void>; start(): Promise<void> } {
  const { redis, services } = api.fleet;
  if (victim !== 'redis') return services[victim];
  return { kill: async () => redis?.kill(), start: async () => redis?.restart() };
}

/** What clients can see of the registry's snapshot. */
async function snapshot(): Promise<unknown> {
  const [file, status] = await Promise.all([ask('/registry.json'), ask('/api/registry/status')]);
  const { snapshot_id, source: from } = Object(status?.json) as { snapshot_id?: string; source?: string };
  return { status: file?.status, text: file?.text, etag: file?.headers.etag, snapshot_id, from };
}

/** Waits at most 20 s, of the 30 s that the gateway would wait; undefined where nobody listens. */
async function ask(path: string): Promise<Answer | undefined> {
  try {
    return await api.call('GET', path, { deadlineMs: 20_000 });
  } catch (error) {
    if (['ECONNREFUSED', 'ECONNRESET'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

type Look = Record<keyof typeof PATHS, number | undefined>;

/** Each kind of path answers as it should in this outage, from soon after its beginning. */
async function expectToLook(expected: Look): Promise<void> {
  await until(async () => isDeepStrictEqual(await look(), expected), {
    message: 'the outage shows',
    timeoutMs: NOTICE_TIMEOUT_MS,
  });
  for (let round = 0; round < 20; round++) expect(await look()).toEqual(expected);
}

/** The status of each kind of path; a 503 must say when to try again. */
async function look(): Promise<Look> {
  const [agents, skills, health] = await Promise.all([ask(PATHS.agents), ask(PATHS.skills), ask(PATHS.health)]);
  for (const answer of [agents, skills, health]) {
    if (answer?.status === 503) expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  }
  return { agents: agents?.status, skills: skills?.status, health: health?.status };
}
