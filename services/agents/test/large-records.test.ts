import { storeOn } from '@agent-fleet/shared/redis/store';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { beforeAll, expect, test } from '@jest/globals';
import { createKeys } from '../src/redis/keys.ts';
import { loadFleetScript } from '../src/redis/scripts.ts';
import { startService } from './support/start-service.ts';

const KIB = 1024;
const COUNT = 20;

const service = await startService();
const { redis } = service;
const keys = createKeys(uniquePrefix('agents'));
beforeAll(async () => {
  for (let at = 0; at < COUNT; at++) {
    await redis.set(keys.task(`${at}`), 'x'.repeat(100 * KIB));
    await redis.set(keys.state(`${at}`), '1 ');
    await redis.zadd(keys.queue('a'), at, `${at}`);
    await redis.zadd(keys.timers, at, `${at}`);
  }
});

const countRecords = (texts: unknown) => (texts as unknown[]).filter((text) => String(text).length > KIB).length;

test('reads the next tasks in parts of some 100 KiB, each request at least one', async () => {
  const peekTasks = loadFleetScript({ ...storeOn(redis), keys }, 'leases/peek-tasks');
  const replies = await peekTasks([
    { agent: 'a', max: COUNT, offers: [] },
    { agent: 'a', max: 5, offers: [] },
  ]);
  expect(replies.map(countRecords)).toEqual([3, 1]);
});

test('claims timers in parts of some 100 KiB', async () => {
  const claimTimers = loadFleetScript({ ...storeOn(redis), keys }, 'timers/claim-timers');
  expect(countRecords(await claimTimers({ claim: 60_000, max: COUNT }))).toBe(3);
  expect(await redis.zcount(keys.timers, 0, COUNT)).toBe(COUNT - 3);
});

test('leases as many large tasks as requested, in order', async () => {
  const agentId = await service.createAgent();
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at++) {
    ids.push((await service.createTask(agentId, { input: 'x'.repeat(100 * KIB) })).id);
  }
  const { body } = await service.lease(agentId, { max_tasks: COUNT });
  expect(body.leases.map(({ task }: { task: { id: string } }) => task.id)).toEqual(ids);
});
