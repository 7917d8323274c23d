import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { loadFleetScript } from '../../src/redis/scripts.ts';
import { type StartedService, startService } from '../support/start-service.ts';

let service: StartedService;
beforeEach(async () => {
  await service?.close();
  service = await startService({ backgroundEveryMs: 3_600_000 });
});
afterAll(() => service.close());

const readStats = async () => (await service.http.get('/stats').expect(200)).body;

/** Hides an agent, and leaves its tasks. */
const beginDeletion = (id: string) =>
  loadFleetScript(service, 'agents/delete-agent')({ id, at: Date.now(), etags: [] });

test('counts the tasks of a deleted agent until they are removed, and names none of them as the oldest', async () => {
  const id = await service.createAgent('gpt');
  await service.createTasks(id, 3);
  await beginDeletion(id);
  expect(await readStats()).toMatchObject({ agents: { total: 0 }, tasks: { total: 3 }, oldest_pending: [] });
});

test('counts workers for five minutes after they were last seen', async () => {
  const { redis, keys } = service;
  // The times are right for a second: a read that took longer says nothing.
  const countInTime = async () => {
    const now = Date.now();
    await redis.zadd(keys.workers, now, 'now', now - 299_000, 'before', now - 301_000, 'gone');
    const { at, workers } = await readStats();
    return Math.abs(Date.parse(at) - now) < 1_000 ? workers : undefined;
  };
  expect(await until(countInTime, { holds: (count) => count !== undefined })).toBe(2);
});

test('answers requests of one moment alike', async () => {
  await service.createAgent();
  const answers = await Promise.all(Array.from({ length: 20 }, readStats));
  for (const { agents } of answers) expect(agents.total).toBe(1);
});
