import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { startWithReplica } from '@agent-fleet/scripts/testing/test-replica';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { openStream } from './support/event-stream.ts';
import { startService } from './support/start-service.ts';

const redis = await startWithReplica();
own(redis.close);
const service = await startService({ redisUrl: redis.url, env: { REDIS_MIN_REPLICAS: '1' } });
const { http } = service;
own(redis.resumeReplica);

test('a change is 503 with an unknown outcome while its replica is lost, and safe to repeat', async () => {
  const tasks = `/agents/${await service.createAgent()}/tasks`;
  const create = () => http.post(tasks).set('idempotency-key', 'one').send({ message: 'x' });
  redis.stopReplica();
  const { body, headers } = await create().expect(503);
  expect([body.error, headers['retry-after'], headers['x-fleet-rejected-by']]).toEqual([
    'unavailable',
    '1',
    'redis_not_replicated',
  ]);
  expect(body.message).toMatch(/outcome is unknown.*Idempotency-Key/);
  // Reads go on, and no repetition is acknowledged.
  expect(await service.total(tasks)).toBe(1);
  await create().expect(503);
  await redis.resumeReplica();
  const again = await create().expect(201);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await service.total(tasks)).toBe(1);
});

test('what is so already is acknowledged only when the replica has it', async () => {
  const agent = await service.createAgent();
  const [cancelled, deleted] = await Promise.all([service.createTask(agent), service.createTask(agent)]);
  const cancel = () => http.put(`/agents/${agent}/tasks/${cancelled.id}/cancellation`).send({});
  const remove = () => http.delete(`/agents/${agent}/tasks/${deleted.id}`);
  redis.stopReplica();
  await Promise.all([cancel().expect(503), remove().expect(503)]);
  await Promise.all([cancel().expect(503), remove().expect(503)]);
  await redis.resumeReplica();
  await cancel().expect(200);
  await remove().expect(404);
});

test('a service that starts while the replica is lost serves reads', async () => {
  const agent = await service.createAgent();
  redis.stopReplica();
  const env = { REDIS_MIN_REPLICAS: '1' };
  const other = await startService({ redisUrl: redis.url, prefix: service.prefix, env });
  await other.http.get(`/agents/${agent}`).expect(200);
  await other.http.delete(`/agents/${agent}`).expect(503);
  await redis.resumeReplica();
});

test('a stream shows a change only when the replica has it, before and after it was opened', async () => {
  const agent = await service.createAgent();
  const before = await openStream(`${service.url}/events`);
  const known = await service.createTask(agent);
  await until(() => before.text.includes(known.id));
  redis.stopReplica();
  await http.post(`/agents/${agent}/tasks`).send({ message: 'x' }).expect(503);
  const [, { id }] = (await http.get(`/agents/${agent}/tasks`).expect(200)).body;
  const after = await openStream(`${service.url}/agents/${agent}/tasks/${id}/events`);
  await sleep(1_500);
  expect([before, after].filter(({ text }) => text.includes(id))).toEqual([]);
  await redis.resumeReplica();
  await until(() => before.text.includes(id));
  for (const stream of [before, after]) stream.close();
});
