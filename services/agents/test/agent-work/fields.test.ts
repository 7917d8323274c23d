import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from '../support/start-service.ts';

const service = await startService({ backgroundEveryMs: 3_600_000 });

test('handles other requests while it checks the schemas of a large batch', async () => {
  const agent = await service.createAgent();
  const task = { message: 'x', output_schema: { anyOf: Array.from({ length: 3_000 }, () => ({})) } };
  const tasks = Array<object>(100).fill(task);
  // The service runs in this thread. Its processor time, unlike the clock, knows no other process of the machine.
  const processorMs = () => process.threadCpuUsage().user / 1_000;
  const begin = processorMs();
  let isDone = false;
  let longestTurnMs = 0;
  const watchTurns = async () => {
    for (let last = begin; !isDone; ) {
      await nextTurn();
      const now = processorMs();
      longestTurnMs = Math.max(longestTurnMs, now - last);
      last = now;
    }
  };
  const readAll = async () => {
    while (!isDone) await service.http.get(`/agents/${agent}`).expect(200);
  };
  const others = Promise.all([watchTurns(), readAll()]);
  const create = async () => service.http.post(`/agents/${agent}/task-batches`).send({ tasks });
  const { status } = await create().finally(() => {
    isDone = true;
  });
  const wholeMs = processorMs() - begin;
  await others;
  expect(status).toBe(201);
  // Without turns, it is nearly all of it.
  expect(longestTurnMs).toBeLessThan(wholeMs / 2);
});

test('writes no more with a heartbeat that reports usage than with another one', async () => {
  const own = await startService({ ownRedis: true, backgroundEveryMs: 3_600_000 });
  const agent = await own.createAgent();
  await own.createTask(agent);
  const { id, token } = (await own.lease(agent)).body.leases[0];
  let reports = 0;
  const fresh = () => ({
    usage: { input_tokens: ++reports, output_tokens: 1 },
    cost: { amount: 0.1, currency: 'USD' },
    model: 'a',
  });
  const same = fresh();
  const countWrites = async (fields: object) => {
    await own.redis.config('RESETSTAT');
    await own.http
      .put(`/leases/${id}/heartbeat`)
      .send({ token, ...fields })
      .expect(200);
    const lines = (await own.redis.info('commandstats')).matchAll(/^cmdstat_(set|xadd|rpush|hincrby):calls=(\d+)/gm);
    return [...lines].map(([, name, calls]) => `${name} ${calls}`).join();
  };
  // Background jobs write too, and BullMQ does so every second.
  for (const next of [() => ({}), fresh, () => same]) {
    await until(() => countWrites(next()), { holds: (writes) => writes === 'set 1' });
  }
});
