import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { waitForRedis } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createId, timeOfId } from '../src/ids.ts';
import { createTaskQueue } from '../src/queue/task-queue.ts';
import { startSweep } from '../src/sweep/sweep.ts';
import { type StartedService, startService } from './support/start-service.ts';

const HOUR_MS = 3_600_000;
const SWEEP = { everyMs: 100, olderThanMs: 50 };

let service: StartedService;
beforeEach(async () => {
  service = await startService({ sweep: SWEEP });
});
afterEach(() => service.close());

/** Leaves the data of a process that crashed `ageMs` ago, after it opened an outbox entry and began a change. */
async function crashAfter(agentId: string, change: () => Promise<unknown>, ageMs = 0): Promise<void> {
  await service.redis.zadd(service.keys.outbox, Date.now() - ageMs, `${agentId} crashed`);
  await change();
}

const untilSwept = (left = 0) =>
  until(() => service.redis.zcard(service.keys.outbox), { holds: (count) => count <= left, message: 'outbox swept' });

function newAgent() {
  const id = createId();
  return { id, name: 'x', type: 'gpt', status: 'idle', created_at: timeOfId(id).toISOString() } as const;
}

/** Runs only the first step of a creation. */
async function storeAgent(agent: ReturnType<typeof newAgent>): Promise<void> {
  const { redis, keys } = service;
  await redis.set(keys.agent(agent.id), JSON.stringify(agent));
  await redis.set(keys.agentSeq(agent.id), 1);
  await addEvent(agent.id, 1, '{"type":"agent.created"}', agent.status, agent.type);
}

const addEvent = (agentId: string, number: number, json: string, status: string, type: string) =>
  service.redis.xadd(service.keys.agentEvents(agentId), `${number}-0`, 'e', json, 's', status, 'y', type);
const createAgent = () => service.createAgent('gpt');
const createTask = async (agentId: string): Promise<string> => (await service.createTask(agentId)).id;
const queue = () => createTaskQueue(service.redis, service.keys);
const countEvents = () => service.redis.xlen(service.keys.fleetEvents);

test('lists an agent whose creation crashed before it was indexed', async () => {
  const agent = newAgent();
  await crashAfter(agent.id, () => storeAgent(agent), -HOUR_MS);
  expect((await service.http.get('/agents')).body).toEqual([]);
  await crashAfter(agent.id, async () => undefined);
  await untilSwept();
  expect((await service.http.get('/agents?type=gpt&status=idle')).body).toEqual([agent]);
  expect(await countEvents()).toBe(1);
});

test('completes a deletion that crashed, with all tasks', async () => {
  const id = await createAgent();
  for (let at = 0; at < 3; at++) await createTask(id);
  await crashAfter(id, async () => {
    await service.redis.del(service.keys.agent(id));
    await addEvent(id, 5, '{"type":"agent.deleted"}', 'deleted', '');
  });
  await untilSwept();
  expect([await service.total('/agents'), await service.total('/tasks')]).toEqual([0, 0]);
  expect(await service.redis.keys(`${service.prefix}:{${id}}:*`)).toEqual([]);
  expect(await service.redis.zcard(service.keys.timers)).toBe(0);
});

test.each<[string, (agentId: string, taskId: string) => Promise<unknown>]>([
  ['was never added', (agentId, taskId) => queue().remove(agentId, taskId)],
  ['was taken by a process that crashed', (agentId) => queue().take(agentId)],
])('leases a task whose job %s', async (_what, change) => {
  const agentId = await createAgent();
  const taskId = await createTask(agentId);
  await crashAfter(agentId, () => change(agentId, taskId));
  await untilSwept();
  const [{ task }] = (await service.leaseByType('gpt')).body.leases;
  expect(task).toMatchObject({ id: taskId, agent_id: agentId, attempt: 1 });
});

test('applies missing events to the fleet once and in order', async () => {
  const agentId = await createAgent();
  const { redis, keys } = service;
  const before = await countEvents();
  await crashAfter(agentId, async () => {
    for (const number of [2, 3, 4]) {
      await redis.set(keys.agentSeq(agentId), number);
      await addEvent(agentId, number, `{"n":${number}}`, '', '');
    }
  });
  await untilSwept();
  await service.http.put(`/agents/${agentId}`).send({ name: 'y', type: 'gemini' }).expect(200);
  const events = (await service.http.get(`/events?after=${before}`)).body;
  expect(events.map(({ n, type }: { n?: number; type?: string }) => n ?? type)).toEqual([2, 3, 4, 'agent.replaced']);
});

test('indexes an agent from its record when its events are lost', async () => {
  const agentId = await createAgent();
  await createTask(agentId);
  const { redis, keys } = service;
  await redis.hdel(keys.agentIndexEntries, agentId);
  await redis.del(keys.agents(), keys.agents({ type: 'gpt' }), keys.agents({ status: 'idle' }));
  await redis.xtrim(keys.agentEvents(agentId), 'MAXLEN', 1);
  const taskId = await createTask(agentId);
  expect((await service.http.get('/agents?type=gpt&status=idle')).body).toMatchObject([{ id: agentId }]);
  expect((await service.http.get(`/tasks?agent_id=${agentId}&type=gpt`)).body).toHaveLength(2);
  expect((await service.http.get('/tasks?status=pending')).body.at(-1)).toMatchObject({ id: taskId });
  await createAgent();
});

test('removes an agent whose events are lost when it is deleted', async () => {
  const agentId = await createAgent();
  // Simulates a cluster node that has lost acknowledged writes.
  await service.redis.incrby(service.keys.agentSeq(agentId), 5);
  await service.http.delete(`/agents/${agentId}`).expect(204);
  expect(await service.total('/agents')).toBe(0);
});

test('repairs other agents when the repair of one fails', async () => {
  const broken = await createAgent();
  await createTask(broken);
  await crashAfter(broken, async () => {
    await queue().remove(broken, (await service.http.get(`/agents/${broken}/tasks`)).body[0].id);
    await service.redis.del(service.keys.tasks(broken, 'pending'));
    await service.redis.set(service.keys.tasks(broken, 'pending'), 'not an index');
  });
  const agent = newAgent();
  await crashAfter(agent.id, () => storeAgent(agent));
  await untilSwept(1);
  expect((await service.http.get('/agents?skip=1')).body).toEqual([agent]);
});

test('sweeps again after Redis has lost its data', async () => {
  await service.close();
  service = await startService({ ownRedis: true, sweep: SWEEP });
  await service.redis.flushall();
  await service.ownRedis?.stop();
  await service.ownRedis?.restart();
  await waitForRedis(service.redis, 60_000);
  const agent = newAgent();
  await crashAfter(agent.id, () => storeAgent(agent));
  await untilSwept();
  expect((await service.http.get('/agents')).body).toEqual([agent]);
});

test('does not restore a deleted agent by a late event', async () => {
  const agent = newAgent();
  await storeAgent(agent);
  await crashAfter(agent.id, async () => undefined);
  await untilSwept();
  await service.http.delete(`/agents/${agent.id}`).expect(204);
  // Simulates a replica that was suspended in the middle of the creation.
  await crashAfter(agent.id, () => addEvent(agent.id, 1, '{}', 'idle', 'gpt'));
  await untilSwept();
  // The total counts index entries; the list leaves out those without a record.
  expect(await service.total('/agents')).toBe(0);
});

test('closes while Redis is unavailable during a repair', async () => {
  const redis = await startTestRedis();
  const repairing = Promise.withResolvers<void>();
  const sweep = startSweep({
    redisUrl: redis.url,
    prefix: 'sweep',
    logger: createLogger('test', 'silent'),
    everyMs: 100,
    repair: async () => {
      await redis.kill();
      repairing.resolve();
      return 0;
    },
  });
  await repairing.promise;
  await sweep.close();
  await redis.close();
});
