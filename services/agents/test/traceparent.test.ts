import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

const service = await startService();
afterAll(() => service.close());
const { http } = service;

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const toTraceparent = (span: number) => `00-${TRACE_ID}-${String(span).padStart(16, '0')}-01`;
const post = (path: string, body: object, span: number) =>
  http.post(path).set('traceparent', toTraceparent(span)).send(body);

test('a task keeps the trace context of the request that created it, and its lease has it', async () => {
  const agent = await service.createAgent();
  const path = `/agents/${agent}/tasks`;
  const { body: task } = await post(path, { message: 'x' }, 1).expect(201);
  expect(task.traceparent).toBe(toTraceparent(1));
  await http.put(`${path}/${task.id}`).set('traceparent', toTraceparent(2)).send({ message: 'y' }).expect(200);
  const [lease] = (await service.lease(agent)).body.leases;
  expect(lease.task).toMatchObject({ message: 'y', traceparent: toTraceparent(1) });
  const { results } = (await post(`/agents/${agent}/task-batches`, { tasks: [{ message: 'x' }] }, 3)).body;
  expect(results[0].task.traceparent).toBe(toTraceparent(3));
});

test('a retry has the trace context of its own creation', async () => {
  const agent = await service.createAgent();
  const path = `/agents/${agent}/tasks`;
  const { id } = (await post(path, { message: 'x' }, 1).expect(201)).body;
  await http.put(`${path}/${id}/cancellation`).expect(200);
  const { body: retry } = await post(`${path}/${id}/retries`, {}, 2).expect(201);
  expect(retry).toMatchObject({ retry_of: id, traceparent: toTraceparent(2) });
  await post('/bulk-actions', { action: 'retry', filter: { id } }, 3).expect(202);
  const readLast = async () => (await http.get(`${path}?order=desc&limit=1`)).body[0];
  const last = await until(readLast, { holds: (task) => task.id !== retry.id });
  expect(last).toMatchObject({ retry_of: id, traceparent: toTraceparent(3) });
});

test.each([
  ['no trace context', {}],
  ['an invalid trace context', { traceparent: 'forged' }],
])('a request with %s creates a task without one', async (_what, headers) => {
  const agent = await service.createAgent();
  const created = await http.post(`/agents/${agent}/tasks`).set(headers).send({ message: 'x' }).expect(201);
  expect(created.body.traceparent).toBeNull();
});
