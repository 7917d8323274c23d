import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { loadFleetScript } from '../../src/redis/scripts.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const TYPES = ['claude', 'gpt', 'gemini'];
/** Deleted agents whose tasks are left out. */
const MAX_HIDDEN = 10;

let service: StartedService;
beforeEach(async () => {
  await service?.close();
  service = await startService({ backgroundEveryMs: 3_600_000 });
});
afterAll(() => service.close());

const readStats = async () => (await service.http.get('/stats').expect(200)).body;

/** Hides an agent, and leaves its tasks. */
const beginDeletion = (id: string) => loadFleetScript(service, 'delete-agent')({ id, at: Date.now(), etags: [] });

test('leaves out the tasks of deleted agents that are not removed yet', async () => {
  const { createAgent, createTask, createTasks } = service;
  const [first, second, kept] = [await createAgent(), await createAgent(), await createAgent()];
  await createTasks(first, 40);
  await createTasks(second, 30);
  const oldest = await createTask(kept);
  await createTasks(first, 10);
  for (const id of [first, second]) await service.lease(id, { max_tasks: 2 });
  await service.lease(kept);
  const pending = await createTask(kept);
  await createTasks(second, 10);
  await beginDeletion(first);
  await beginDeletion(second);
  const { agents, tasks, oldest_pending, leases } = await readStats();
  expect(agents).toMatchObject({ total: 1, by_type: { claude: 1, gpt: 0, gemini: 0 } });
  expect(tasks).toEqual({
    total: 2,
    by_status: { pending: 1, running: 1, completed: 0, failed: 0, cancelled: 0 },
    by_type: { claude: 2, gpt: 0, gemini: 0 },
  });
  const { id: task_id, created_at } = pending;
  expect(oldest_pending).toEqual([{ type: 'claude', agent_id: kept, task_id, created_at }]);
  expect(oldest.id < task_id).toBe(true);
  expect(leases).toBe(1);
});

test('names no oldest task when only deleted agents have pending ones', async () => {
  const id = await service.createAgent('gpt');
  await service.createTasks(id, 3);
  await beginDeletion(id);
  expect(await readStats()).toMatchObject({ tasks: { total: 0, by_type: { gpt: 0 } }, oldest_pending: [] });
});

test('leaves out the tasks of ten deleted agents, and names none of others as the oldest', async () => {
  const ids: string[] = [];
  for (let at = 0; at < MAX_HIDDEN + 2; at++) ids.push(await service.createAgent(TYPES[at % 3]));
  for (const id of ids) await service.createTasks(id, 5);
  for (const id of ids) await beginDeletion(id);
  const { tasks, oldest_pending } = await readStats();
  expect(tasks).toMatchObject({ total: 10, by_status: { pending: 10 } });
  expect(oldest_pending).toEqual([]);
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
