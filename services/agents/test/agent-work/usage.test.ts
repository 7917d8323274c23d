import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import type { Lease } from '../support/client.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ backgroundEveryMs: 3_600_000 });
const { http, redis, keys } = service;
afterAll(() => service.close());

/** The policy by which a failed task is ready again at once. */
const AT_ONCE = { retry_policy: { strategy: 'fixed', delay_seconds: 0 } };

/** Usage in tokens that differ by `scale`. */
const usage = (scale: number) => ({
  input_tokens: 10 * scale,
  cached_input_tokens: 4 * scale,
  output_tokens: 3 * scale,
  reasoning_tokens: scale,
});
const cost = (amount: number, estimated = false) => ({ amount, currency: 'USD', estimated });

async function lease(agent: string, fields: object = {}): Promise<Lease> {
  return (await service.lease(agent, fields)).body.leases[0];
}
const beat = ({ id, token }: Lease, fields: object) => http.put(`/leases/${id}/heartbeat`).send({ token, ...fields });
const pathOf = ({ task }: Lease) => `/agents/${task.agent_id}/tasks/${task.id}`;
const readTask = async (one: Lease) => (await http.get(pathOf(one)).expect(200)).body;
const readAttempts = async (one: Lease) => (await http.get(`${pathOf(one)}/attempts`).expect(200)).body;

async function createLeased(fields: object = {}, holder: object = {}): Promise<Lease> {
  const agent = await service.createAgent();
  await service.createTask(agent, { ...AT_ONCE, ...fields });
  return lease(agent, holder);
}

test('sums what the attempts of a task have used, in each of which the last report counts', async () => {
  const first = await createLeased();
  await beat(first, { usage: usage(1), cost: cost(0.1), model: 'a' }).expect(200);
  await beat(first, { usage: usage(2), progress: { percent: 5 } }).expect(200);
  expect(await readTask(first)).toMatchObject({ usage: null, cost: null });
  expect(await readAttempts(first)).toMatchObject([
    { outcome: 'running', usage: usage(2), cost: cost(0.1), model: 'a' },
  ]);
  const report = { status: 'failed', cost: cost(0.2, true) };
  await service.report(first, report).expect(200);
  const second = await lease(first.task.agent_id);
  await service.report(second, { status: 'completed', usage: usage(5), cost: cost(0.1) }).expect(200);
  expect(await readTask(first)).toMatchObject({ status: 'completed', usage: usage(7), cost: cost(0.3, true) });
  expect(await readAttempts(first)).toMatchObject([
    { outcome: 'failed', usage: usage(2), cost: cost(0.2, true), model: 'a' },
    { outcome: 'completed', usage: usage(5), cost: cost(0.1), model: null },
  ]);
});

test('keeps the last report of an attempt that a lease or a timeout ends', async () => {
  const expiring = await createLeased({}, { lease_seconds: 5 });
  const late = await createLeased({ timeout_seconds: 3, max_cost: { amount: 0.5, currency: 'USD' } });
  const used = { usage: usage(3), cost: cost(0.5), model: 'a' };
  await beat(expiring, used).expect(200);
  await beat(late, used).expect(200);
  const ended = { holds: ([one]: { ended_at: string }[]) => one?.ended_at !== null, timeoutMs: 20_000 };
  expect(await until(() => readAttempts(late), ended)).toMatchObject([{ outcome: 'timeout', ...used }]);
  expect(await readTask(late)).toMatchObject({
    status: 'failed',
    attempt: 1,
    ...{ usage: used.usage, cost: used.cost },
  });
  expect(await until(() => readAttempts(expiring), ended)).toMatchObject([{ outcome: 'lease_expired', ...used }]);
  expect(await readTask(expiring)).toMatchObject({ status: 'pending', usage: used.usage, cost: used.cost });
});

test('counts what a released attempt has used, which is no attempt otherwise', async () => {
  const one = await createLeased({ max_cost: { amount: 0.1, currency: 'USD' } });
  await beat(one, { usage: usage(1), cost: cost(0.2) }).expect(200);
  await service.release(one).expect(204);
  expect(await readTask(one)).toMatchObject({ status: 'pending', attempt: 0, usage: usage(1), cost: cost(0.2) });
  expect(await readAttempts(one)).toEqual([]);
});

test('counts a cancelled attempt and a deleted task', async () => {
  const one = await createLeased();
  await http.put(`${pathOf(one)}/cancellation`).expect(202);
  await service.report(one, { status: 'cancelled', usage: usage(1) }).expect(200);
  expect(await readTask(one)).toMatchObject({ status: 'cancelled', usage: usage(1), cost: null });
  const { agent_id: agent } = one.task;
  await service.createTask(agent);
  const deleted = await lease(agent);
  await beat(deleted, { usage: usage(2) }).expect(200);
  await http.delete(pathOf(deleted)).expect(204);
  const { body } = await http.get(`/agents/${agent}/usage`).expect(200);
  expect(body.total).toMatchObject({ attempts: 2, ...usage(3) });
});

test('does not retry a failed attempt once all have cost the limit', async () => {
  const first = await createLeased({ max_attempts: 10, max_cost: { amount: 0.3, currency: 'USD' } });
  const failed = { status: 'failed', error: { code: 'x', message: 'y', retryable: true } };
  await service.report(first, { ...failed, cost: cost(0.1) }).expect(200);
  const second = await lease(first.task.agent_id);
  await service.report(second, { ...failed, cost: cost(0.199999) }).expect(200);
  expect(await readTask(first)).toMatchObject({ status: 'pending', cost: cost(0.299999) });
  const third = await lease(first.task.agent_id);
  const { body } = await service.report(third, { ...failed, cost: cost(0.000001) }).expect(200);
  expect(body).toMatchObject({ status: 'failed', attempt: 3, error: failed.error, cost: cost(0.3) });
});

test('keeps sums of amounts exact', async () => {
  const agent = await service.createAgent();
  await service.createTask(agent, { ...AT_ONCE, max_attempts: 10 });
  let last: Lease | undefined;
  for (let attempt = 1; attempt <= 10; attempt++) {
    last = await lease(agent);
    await service.report(last, { status: 'failed', cost: cost(0.1000004) }).expect(200);
  }
  expect((await readTask(last as Lease)).cost).toEqual(cost(1));
  expect((await readAttempts(last as Lease))[0].cost).toEqual(cost(0.1));
});

test('recognises a repeated result by what it says of usage too', async () => {
  const one = await createLeased();
  const report = { status: 'completed', usage: usage(1), cost: cost(0.1), model: 'a' };
  const { text } = await service.report(one, report).expect(200);
  expect((await service.report(one, report).expect(200)).text).toBe(text);
  await service.report(one, { ...report, usage: usage(2) }).expect(409);
  await service.report(one, { status: 'completed' }).expect(409);
});

test('writes no more with a heartbeat that reports usage than with another one', async () => {
  await using own = await startService({ ownRedis: true, backgroundEveryMs: 3_600_000 });
  const agent = await own.createAgent();
  await own.createTask(agent);
  const { id, token } = (await own.lease(agent)).body.leases[0];
  let reports = 0;
  const fresh = () => ({ usage: usage(++reports), cost: cost(0.1), model: 'a' });
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

const BAD: Record<string, [fields: object, ...paths: string[]]> = {
  'tokens that are no whole numbers': [
    { usage: { input_tokens: 1.5, output_tokens: -1, cached_input_tokens: '1', reasoning_tokens: 1e12 } },
    ...['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens'].map((name) => `usage.${name}`),
  ],
  'usage without tokens': [{ usage: {} }, 'usage.input_tokens', 'usage.output_tokens'],
  'more cached than input tokens': [
    { usage: { input_tokens: 1, cached_input_tokens: 2, output_tokens: 1 } },
    'usage.cached_input_tokens',
  ],
  'more reasoning than output tokens': [
    { usage: { input_tokens: 1, output_tokens: 1, reasoning_tokens: 2 } },
    'usage.reasoning_tokens',
  ],
  'an unknown field': [{ usage: { ...usage(1), total: 1 } }, 'usage.total'],
  'usage of another type': [{ usage: 5 }, 'usage'],
  'a negative amount in another currency': [{ cost: { amount: -1, currency: 'EUR' } }, 'cost.amount', 'cost.currency'],
  'a cost above a million': [{ cost: cost(1_000_001) }, 'cost.amount'],
  'a cost that is a number': [{ cost: 5 }, 'cost'],
  'a model of 129 characters': [{ model: 'x'.repeat(129) }, 'model'],
  'an empty model': [{ model: '' }, 'model'],
};

test.each(Object.entries(BAD))('refuses a heartbeat and a result with %s', async (_what, [fields, ...paths]) => {
  const one = await createLeased();
  for (const { status, body } of [
    await beat(one, fields),
    await service.report(one, { status: 'completed', ...fields }),
  ]) {
    expect(status).toBe(400);
    expect(body.details.fields.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths.toSorted());
  }
});

test('takes null for what is not known, and keeps what was known before', async () => {
  const one = await createLeased();
  const nothing = { usage: null, cost: null, model: null };
  await beat(one, nothing).expect(200);
  expect(await readAttempts(one)).toMatchObject([nothing]);
  await beat(one, { usage: { input_tokens: 1, output_tokens: 2 }, cost: { amount: 1, currency: 'USD' } }).expect(200);
  await service.report(one, { status: 'completed', ...nothing }).expect(200);
  expect(await readAttempts(one)).toMatchObject([
    {
      usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 2, reasoning_tokens: 0 },
      cost: cost(1),
      model: null,
    },
  ]);
});

test('leaves the database as the records say', async () => {
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
