import type { Input, Operation } from '@agent-fleet/shared/contract/operation';
import { afterAll, expect, test } from '@jest/globals';
import { createIdempotency } from '../src/idempotency/idempotency.ts';
import { startService } from './support/start-service.ts';

const service = await startService();
afterAll(() => service.close());

const post = (path: string, key: string, body: object) =>
  service.http.post(path).set('idempotency-key', key).set('x-fleet-principal', 'user:a').send(body);

test('repeats a request whose process crashed, under the same id', async () => {
  const tasks = `/agents/${await service.createAgent()}/tasks`;
  const { body } = await post(tasks, 'six', { message: 'x' }).expect(201);
  const { redis, prefix } = service;
  const keys = await redis.keys(`${prefix}:*:idempotency`);
  const values = await redis.mget(keys);
  const at = values.findIndex((value) => value?.includes(body.id));
  const kept = JSON.parse(values[at] as string);
  // The state before the reply was stored, when the task had been created.
  await redis.set(keys[at] as string, JSON.stringify({ ...kept, reply: null }));
  await post(tasks, 'six', { message: 'x' }).expect(409);
  await redis.set(keys[at] as string, JSON.stringify({ ...kept, reply: null, at: Date.now() - 11_000 }));
  const total = await service.total(tasks);
  const again = await post(tasks, 'six', { message: 'x' }).expect(201);
  expect(again.body).toEqual(body);
  expect(await service.total(tasks)).toBe(total);
  expect((await post(tasks, 'six', { message: 'x' }).expect(201)).headers['idempotency-replayed']).toBe('true');
  expect(await redis.ttl(keys[at] as string)).toBeGreaterThan(86_000);
});

test('reuses the id after an error of the service', async () => {
  const ids: string[] = [];
  const idempotent = createIdempotency(service.redis, service.keys);
  const handle = idempotent<Operation>(async (_input, id) => {
    ids.push(id);
    // This happens when Redis becomes unavailable after the task is stored.
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
