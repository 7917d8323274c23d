import type { Input, Operation } from '@agent-fleet/shared/contract/operation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createIdempotency } from '../src/idempotency/idempotency.ts';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
let agentId: string;
let tasks: string;
beforeAll(async () => {
  service = await startService();
  agentId = (await service.http.post('/agents').send({ name: 'x', type: 'claude' })).body.id;
  tasks = `/agents/${agentId}/tasks`;
});
afterAll(() => service.close());

const post = (path: string, key: string, body: object, principal = 'user:a') =>
  service.http.post(path).set('idempotency-key', key).set('x-fleet-principal', principal).send(body);

test('the same request again gets the same answer and creates nothing', async () => {
  const first = await post(tasks, 'one', { message: 'x', input: { a: 1, b: 2 } }).expect(201);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(201);
  const again = await post(tasks, 'one', { input: { b: 2, a: 1 }, message: 'x' }).expect(201);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.body).toEqual(first.body);
  for (const name of ['etag', 'location']) expect(again.headers[name]).toBe(first.headers[name]);
  expect((await service.http.get(tasks)).headers['x-total-count']).toBe('1');
});

test('with another body it is refused', async () => {
  await post(tasks, 'two', { message: 'x' }).expect(201);
  const { body } = await post(tasks, 'two', { message: 'y' }).expect(422);
  expect(body).toMatchObject({ error: 'semantic_error', details: { fields: [{ path: 'Idempotency-Key' }] } });
});

test('a key is for one caller and one path', async () => {
  const { body } = await post(tasks, 'three', { message: 'x' }).expect(201);
  const other = await post(tasks, 'three', { message: 'x' }, 'user:b').expect(201);
  expect(other.body.id).not.toBe(body.id);
  await post('/agents', 'three', { name: 'x', type: 'gpt' }).expect(201);
});

test('an error is not kept', async () => {
  const past = new Date(Date.now() - 1_000).toISOString();
  await post(tasks, 'four', { message: 'x', expires_at: past }).expect(422);
  const { headers } = await post(tasks, 'four', { message: 'y' }).expect(201);
  expect(headers['idempotency-replayed']).toBeUndefined();
});

test('of requests at the same time one creates', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(tasks, 'five', { message: 'at once' })));
  const created = answers.filter(({ status }) => status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    expect(status).toBe(409);
    expect(body.error).toBe('idempotent_request_in_progress');
  }
  const found = (await service.http.get(tasks)).body.filter(
    ({ message }: { message: string }) => message === 'at once',
  );
  expect(found).toHaveLength(1);
});

test('a request whose process died is made again under the same id', async () => {
  const { body } = await post(tasks, 'six', { message: 'x' }).expect(201);
  const { redis, prefix } = service;
  const keys = await redis.keys(`${prefix}:*:idempotency`);
  const values = await redis.mget(keys);
  const at = values.findIndex((value) => value?.includes(body.id));
  const kept = JSON.parse(values[at] as string);
  // As it was before the answer was kept, when the process had the time to create the task.
  await redis.set(keys[at] as string, JSON.stringify({ ...kept, reply: null }));
  await post(tasks, 'six', { message: 'x' }).expect(409);
  await redis.set(keys[at] as string, JSON.stringify({ ...kept, reply: null, at: Date.now() - 11_000 }));
  const total = (await service.http.get(tasks)).headers['x-total-count'];
  const again = await post(tasks, 'six', { message: 'x' }).expect(201);
  expect(again.body).toEqual(body);
  expect((await service.http.get(tasks)).headers['x-total-count']).toBe(total);
  expect((await post(tasks, 'six', { message: 'x' }).expect(201)).headers['idempotency-replayed']).toBe('true');
  expect(await redis.ttl(keys[at] as string)).toBeGreaterThan(86_000);
});

test('after an error of the service the next request creates under the same id', async () => {
  const ids: string[] = [];
  const idempotent = createIdempotency(service.redis, service.keys);
  const handle = idempotent<Operation>(async (_input, id) => {
    ids.push(id);
    // As when the task is stored, and Redis goes away before the rest.
    if (ids.length === 1) throw new Error('Command timed out');
    return { status: 201, json: JSON.stringify({ id }) };
  });
  const req = { headers: { 'idempotency-key': 'eight' }, method: 'POST', path: '/agents/x/tasks', body: {} };
  const input = { req } as unknown as Input<Operation>;
  await expect(handle(input)).rejects.toThrow('Command timed out');
  const reply = await handle(input);
  expect(ids[1]).toBe(ids[0]);
  expect((await handle(input)).json).toBe(reply.json);
  expect(ids).toHaveLength(2);
});

test('a batch is created once', async () => {
  const batch = { tasks: [{ message: 'x' }, { message: '' }] };
  const first = await post(`/agents/${agentId}/task-batches`, 'seven', batch).expect(201);
  const again = await post(`/agents/${agentId}/task-batches`, 'seven', batch).expect(201);
  expect(again.body).toEqual(first.body);
});

test.each(['', 'a b', 'x'.repeat(256), 'ü'])('the key %j is refused', async (key) => {
  const { status, body } = await post(tasks, key, { message: 'x' });
  expect(status).toBe(400);
  expect(body.details.fields[0].path).toBe('Idempotency-Key');
});
