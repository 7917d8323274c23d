import { startTestCluster, type TestRedis } from '@agent-fleet/scripts/local/test-redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

let cluster: TestRedis;
let service: StartedService;
beforeAll(async () => {
  cluster = await startTestCluster();
  service = await startService({ redisUrl: cluster.url });
});
afterAll(async () => {
  await service?.close();
  await cluster?.close();
});

test('on a Redis Cluster a task is created, found, leased by a waiting worker, completed and watched', async () => {
  const agentId = (await service.http.post('/agents').send({ name: 'x', type: 'claude' }).expect(201)).body.id;
  const waiting = service.http
    .post('/leases')
    .send({ worker_id: 'w', wait_seconds: 20 })
    .then((response) => response);
  const task = { message: 'x', tags: ['a b'] };
  const batch = await service.http
    .post(`/agents/${agentId}/task-batches`)
    .send({ tasks: [task, task] })
    .expect(201);
  const [first, second] = batch.body.results.map((result: { task: { id: string } }) => result.task);
  const { body } = await waiting;
  const { id, token } = body.leases[0];
  expect(body.leases[0].task.id).toBe(first.id);
  await service.http
    .put(`/leases/${id}/heartbeat`)
    .send({ token, progress: { percent: 1 } })
    .expect(200);
  await service.http.put(`/leases/${id}/result`).send({ token, status: 'completed', result: 1 }).expect(200);
  await service.http.put(`/agents/${agentId}`).send({ name: 'x', type: 'gpt' }).expect(200);
  const found = await service.http.get('/tasks?tag=a+b&type=gpt&status=pending').expect(200);
  expect(found.body).toEqual([second]);
  expect(found.headers['x-total-count']).toBe('1');
  const events = (await service.http.get('/events').expect(200)).body as { type: string }[];
  expect(events.map(({ type }) => type)).toEqual([
    'agent.created',
    'task.created',
    'task.created',
    'task.leased',
    'agent.status',
    'task.progress',
    'task.completed',
    'agent.status',
    'agent.replaced',
  ]);
  await service.http.delete(`/agents/${agentId}`).expect(204);
  expect((await service.http.get('/tasks')).headers['x-total-count']).toBe('0');
});
