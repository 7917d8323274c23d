import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, expect, test } from '@jest/globals';
import { loadFleetScript } from '../../src/redis/scripts.ts';
import { type StartedService, startService } from '../support/start-service.ts';

let service: StartedService;
beforeEach(async () => {
  service = await startService({ backgroundEveryMs: 3_600_000 });
});

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

test('names the oldest pending task whose agent exists behind 99 of a deleted one, as the metric does', async () => {
  const deleted = await service.createAgent('gpt');
  await service.createTasks(deleted, 99);
  const agent_id = await service.createAgent('gpt');
  const { id: task_id, created_at } = await service.createTask(agent_id);
  await beginDeletion(deleted);
  const readAge = async () => metricIn(await service.metrics(), 'agents_oldest_pending_task_age_seconds{type="gpt"}');
  expect((await readStats()).oldest_pending).toEqual([{ type: 'gpt', agent_id, task_id, created_at }]);
  expect(await readAge()).toBeGreaterThanOrEqual(0);
  await service.http.delete(`/agents/${agent_id}/tasks/${task_id}`).expect(204);
  expect((await readStats()).oldest_pending).toEqual([]);
  expect(await readAge()).toBeUndefined();
});

test('passes over a bounded number of tasks of deleted agents, of all types together', async () => {
  for (const type of ['gpt', 'claude']) {
    const deleted = await service.createAgent(type);
    await service.createTasks(deleted, 60);
    await service.createTask(await service.createAgent(type));
    await beginDeletion(deleted);
  }
  expect((await readStats()).oldest_pending).toHaveLength(1);
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
