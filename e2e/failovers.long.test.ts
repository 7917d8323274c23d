import { setTimeout as sleep } from 'node:timers/promises';
import { startTestSentinel, type TestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Api } from './harness/api.ts';
import { withRedis } from './harness/redis.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { Work } from './harness/work.ts';
import { writeRegistryFile } from './spec/registry-file.ts';

/** How long failovers follow one another: `FAILOVER_MINUTES`. */
const DURATION_MS = Number(process.env.FAILOVER_MINUTES ?? 0.7) * 60_000;
const PROMOTION_TIMEOUT_MS = 30_000;
/** After the promotion, everything goes on within this time. */
const RECOVERY_MS = 10_000;
const TASKS = 500;
const WORK_MS = 1_500;
const LOSSES = ['SIGKILL', 'SIGSTOP'] as const;
type Loss = (typeof LOSSES)[number];

const api = new Api();
const source = writeRegistryFile();
let sentinel: TestSentinel;

beforeAll(async () => {
  const ownRedis = async () => {
    sentinel = await startTestSentinel({ replicas: 2, minReplicas: 1 });
    return sentinel;
  };
  const replicated = { REDIS_MIN_REPLICAS: '1' };
  const registry = { ...replicated, ...source.env, REGISTRY_REFRESH_SECONDS: '2' };
  await api.open({ ownRedis, env: { agents: replicated, identity: replicated, gateway: replicated, registry } });
}, 180_000);
afterAll(async () => {
  await api.close();
  source.close();
}, 180_000);

if (CONTROLS_PROCESSES) specifyFailovers();
else logOmittedTests('failovers');

function specifyFailovers(): void {
  test(
    'no acknowledged change is lost in one failover after the other, and background work goes on within 10 s',
    async () => {
      const end = performance.now() + DURATION_MS;
      for (let count = 0; count === 0 || performance.now() < end; count++) {
        const loss = LOSSES[count % LOSSES.length] as Loss;
        const { tasks, unexpected } = await Work.during(api, String(api.types[1]), () => failOver(loss));
        expect(tasks.size).toBeGreaterThan(20);
        expect(unexpected).toEqual([]);
        await sentinel.untilComplete();
      }
      expect((await api.call('GET', '/protected', { as: 'token' })).status).toBe(200);
    },
    DURATION_MS + 180_000,
  );
}

/** Loses the master while background work is under way. */
async function failOver(loss: Loss): Promise<void> {
  await sleep(WORK_MS);
  const master = await sentinel.master();
  const redis = new Redis(master.url);
  const pid = await processIdOf(redis).finally(() => redis.disconnect());
  const started = await startBackgroundWork();
  process.kill(pid, loss);
  const isPromoted = async () => (await sentinel.master()).port !== master.port;
  await until(isPromoted, { message: 'a replica is the master', timeoutMs: PROMOTION_TIMEOUT_MS });
  await expectProgress(started, loss);
  if (loss === 'SIGSTOP') process.kill(pid, 'SIGCONT');
  else await master.restart();
  await sleep(WORK_MS);
}

/** Deletes an agent with many tasks, and begins to cancel those of another. Returns the path of the bulk action. */
async function startBackgroundWork(): Promise<string> {
  const [deleted, cancelled] = [await api.createAgent(), await api.createAgent()];
  for (const { id } of [deleted, cancelled]) await api.createTasks(id, TASKS);
  const body = { action: 'cancel', filter: { agent_id: cancelled.id } };
  const { status, headers } = await api.call('POST', '/bulk-actions', { body });
  expect(status).toBe(202);
  expect((await api.call('DELETE', `/agents/${deleted.id}`)).status).toBe(204);
  return String(headers.location);
}

/** The bulk action completes, the deleted tasks go away and the registry's source is checked again. */
async function expectProgress(bulkAction: string, loss: Loss): Promise<void> {
  const promotedAt = Date.now();
  const { fleet } = api;
  const isDone = {
    'bulk action': async () => Object((await api.get(bulkAction)).json).state === 'completed',
    deletion: () =>
      withRedis(fleet.redisUrl, async (redis) => (await redis.keys(`${fleet.redisPrefix}:*:purges`)).length === 0),
    refresh: async () => {
      const { checked_at } = Object((await api.get('/api/registry/status')).json);
      return Date.parse(checked_at) > promotedAt;
    },
  };
  const took = await Promise.all(
    Object.entries(isDone).map(async ([what, holds]) => {
      await until(holds, { message: `the ${what} goes on after ${loss}`, timeoutMs: RECOVERY_MS, pollMs: 100 });
      return `${what} ${Date.now() - promotedAt} ms`;
    }),
  );
  console.info(`${loss}, after the promotion: ${took.join(', ')}`);
}
