import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@agent-fleet/shared/logger';
import { waitForRedis } from '@agent-fleet/shared/redis';
import { startTestRedis } from '@agent-fleet/shared/testing/redis';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createAgentStore } from '../src/agents/agent-store.ts';
import { createId, timeOfId } from '../src/ids.ts';
import { startSweep } from '../src/sweep/sweep.ts';
import { type StartedService, startService } from './start-service.ts';

const HOUR_MS = 3_600_000;

let service: StartedService;
beforeEach(async () => {
  service = await startService({ sweep: { everyMs: 100, olderThanMs: 50 } });
});
afterEach(() => service.close());

/** What a process leaves that dies after it has opened the outbox and changed the record, `ageMs` ago. */
async function crashAfter(agentId: string, change: () => Promise<unknown>, ageMs = 0): Promise<void> {
  await service.redis.zadd(service.keys.outbox, Date.now() - ageMs, `${agentId} crashed`);
  await change();
}

async function untilSwept(): Promise<void> {
  for (let tries = 0; (await service.redis.zcard(service.keys.outbox)) > 0; tries++) {
    if (tries === 200) throw new Error('The outbox is not swept');
    await sleep(50);
  }
}

function newAgent() {
  const id = createId();
  return { id, name: 'x', type: 'gpt', status: 'idle', created_at: timeOfId(id).toISOString() } as const;
}

test('a create that crashed before its indexes is listed', async () => {
  const agent = newAgent();
  const create = () => service.redis.set(service.keys.agent(agent.id), JSON.stringify(agent));
  await crashAfter(agent.id, create, -HOUR_MS);
  expect((await service.http.get('/agents')).body).toEqual([]);
  await crashAfter(agent.id, create);
  await untilSwept();
  expect((await service.http.get('/agents?type=gpt&status=idle')).body).toEqual([agent]);
});

test('a delete that crashed before its indexes is finished, tasks and all', async () => {
  const { id } = (await service.http.post('/agents').send({ name: 'x', type: 'gpt' })).body;
  for (let at = 0; at < 3; at++) await service.http.post(`/agents/${id}/tasks`).send({ message: 'x' }).expect(201);
  await crashAfter(id, () => service.redis.del(service.keys.agent(id)));
  await untilSwept();
  expect((await service.http.get('/agents')).headers['x-total-count']).toBe('0');
  expect(await service.redis.keys(`${service.prefix}:{${id}}:*`)).toEqual([]);
});

test('a record that cannot be repaired does not keep others from it', async () => {
  const broken = createId();
  await crashAfter(broken, () => service.redis.set(service.keys.agent(broken), 'not JSON'));
  const agent = newAgent();
  await crashAfter(agent.id, () => service.redis.set(service.keys.agent(agent.id), JSON.stringify(agent)));
  for (let tries = 0; (await service.redis.zcard(service.keys.outbox)) > 1; tries++) {
    if (tries === 200) throw new Error('The outbox is not swept');
    await sleep(50);
  }
  expect((await service.http.get('/agents')).body).toEqual([agent]);
});

test('goes on after Redis has lost its data', async () => {
  await service.close();
  const redis = await startTestRedis();
  service = await startService({ redisUrl: redis.url, sweep: { everyMs: 100, olderThanMs: 50 } });
  try {
    await service.redis.flushall();
    await redis.stop();
    await redis.restart();
    await waitForRedis(service.redis, 5_000);
    const agent = newAgent();
    await crashAfter(agent.id, () => service.redis.set(service.keys.agent(agent.id), JSON.stringify(agent)));
    await untilSwept();
    expect((await service.http.get('/agents')).body).toEqual([agent]);
  } finally {
    await service.close();
    await redis.close();
    service = await startService();
  }
});

test('a late write of an older version changes nothing', async () => {
  const store = createAgentStore(service.redis, service.keys);
  const agent = newAgent();
  await store.create(agent);
  const stale = `${service.prefix}:{${agent.id}}:version`;
  await store.replace(agent.id, { name: 'y', type: 'claude' }, []);
  await store.replace(agent.id, { name: 'y', type: 'gemini' }, []);
  // A replica that read version 1 and was stopped until now.
  await service.redis.set(stale, 1);
  await crashAfter(agent.id, async () => undefined);
  await untilSwept();
  expect((await service.http.get('/agents?type=gemini')).body).toHaveLength(1);
  expect((await service.http.get('/agents?type=claude')).body).toHaveLength(0);
});

test('closes although Redis went away in the middle of a repair', async () => {
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
