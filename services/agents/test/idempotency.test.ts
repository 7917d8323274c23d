import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

const service = await startService();
const { redis, keys } = service;

const post = (path: string, key: string, body: object, http = service.http) =>
  http.post(path).set('idempotency-key', key).set('x-fleet-principal', 'user:a').send(body);

/** The key and value of the only stored reply that contains `text`. */
async function findKept(text: string): Promise<[string, string]> {
  for (const key of await redis.keys(keys.idempotency('*'))) {
    const value = (await redis.get(key)) as string;
    if (value.includes(text)) return [key, value];
  }
  throw new Error(`Nothing is kept about ${text}`);
}

test('keeps the reply for a day', async () => {
  const tasks = `/agents/${await service.createAgent()}/tasks`;
  const { body } = await post(tasks, 'one', { message: 'x' }).expect(201);
  const [key] = await findKept(body.id);
  expect(await redis.ttl(key)).toBeGreaterThan(86_000);
  const again = await post(tasks, 'one', { message: 'x' }).expect(201);
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([body, 'true']);
  expect(await service.total(tasks)).toBe(1);
});

test.each([0, 11_000])('responds 404 to a batch whose agent was deleted %i ms after its first step', async (ageMs) => {
  const path = `/agents/${await service.createAgent()}`;
  const batch = { tasks: [{ message: `${ageMs}` }] };
  const { body } = await post(`${path}/task-batches`, 'cut', batch).expect(201);
  const { id } = body.results[0].task;
  const [key, value] = await findKept(id);
  const claim = { id, at: Date.now() - ageMs, next: id, refused: {} };
  await redis.set(key, `${value.split(' ')[0]} @${JSON.stringify(claim)}`);
  await service.http.delete(path).expect(204);
  await post(`${path}/task-batches`, 'cut', batch).expect(404, { detail: 'Agent not found' });
});

test('creates once when Redis replies too late', async () => {
  const own = await startService({ ownRedis: true });
  const tasks = `/agents/${await own.createAgent()}/tasks`;
  await own.redis.client('PAUSE', 3_600_000, 'WRITE');
  await post(tasks, 'late', { message: 'x' }, own.http).expect(503);
  await own.redis.client('UNPAUSE');
  await until(async () => (await own.http.get('/ready')).status === 200);
  const { body } = await post(tasks, 'late', { message: 'x' }, own.http).expect(201);
  expect((await own.http.get(tasks)).body).toEqual([body]);
});
