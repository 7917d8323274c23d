import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { startService } from '../support/start-service.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';
import { createFor, idsIn, passReservation, runBy } from './continue.ts';

const { one, other, redis, keys } = await startTwoReplicas();
afterEach(async () => {
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

const HOME = { worker_id: 'home' };
const AWAY = { worker_id: 'away' };

/** Time for a request to begin its wait. */
const untilWaiting = () => sleep(300);
const untilQueued = (agent: string, count: number) =>
  until(async () => (await redis.zcard(keys.queue(agent))) === count);
const waitingOf = async (agent: string, id: string) =>
  (await one.http.get(`/agents/${agent}/tasks/${id}/waiting`).expect(200)).body;

test('wakes another worker at the end of the reservation', async () => {
  const agent = await one.createAgent();
  const { id } = await createFor(one, agent, 'home');
  const waiting = other.leaseByType('claude', { ...AWAY, wait_seconds: 20 });
  await untilWaiting();
  await passReservation(one, id);
  expect(idsIn(await waiting)).toEqual([id]);
});

test('a worker that takes reserved tasks leaves the wakeup of another task to another worker', async () => {
  const [agent, second] = [await one.createAgent('llama'), await one.createAgent('llama')];
  const reserved = [(await createFor(one, agent, 'home')).id, (await createFor(one, second, 'home')).id];
  const { id } = await one.createTask(agent);
  // They become ready when both workers wait.
  const [set, queue, ready] = [keys.reserved('home'), keys.queue(agent), keys.ready('llama')];
  await redis.multi().rename(set, `${set}.later`).rename(queue, `${queue}.later`).del(ready).exec();
  const waits: ReturnType<typeof one.lease>[] = [];
  for (const worker of [{ ...HOME, max_tasks: 2 }, AWAY]) {
    waits.push(one.leaseByType('llama', { ...worker, wait_seconds: 5 }));
    await untilWaiting();
  }
  await redis
    .multi()
    .rename(`${set}.later`, set)
    .rename(`${queue}.later`, queue)
    .zadd(ready, 0, agent)
    .xadd(keys.wakeups, '*', 'a', agent, 'y', 'llama', 'n', 1)
    .exec();
  const [home, away] = (await Promise.all(waits)).map(idsIn);
  expect(home?.toSorted()).toEqual(reserved.toSorted());
  expect(away).toEqual([id]);
});

test('a reservation ends while its agent is paused', async () => {
  const agent = await one.createAgent();
  const { id } = await createFor(one, agent, 'home');
  await one.http.put(`/agents/${agent}/pause`).expect(200);
  await passReservation(one, id);
  await untilQueued(agent, 1);
  expect(idsIn(await one.lease(agent, AWAY))).toEqual([]);
  await one.http.delete(`/agents/${agent}/pause`).expect(204);
  expect(idsIn(await one.leaseByType('claude', AWAY))).toEqual([id]);
});

test.each(['cancellation', 'deletion'])('after its %s a continued task reserves nothing', async (what) => {
  const agent = await one.createAgent();
  const { id } = await createFor(one, agent, what);
  const path = `/agents/${agent}/tasks/${id}`;
  if (what === 'deletion') await one.http.delete(path).expect(204);
  else await one.http.put(`${path}/cancellation`).send({}).expect(200);
  expect(await redis.exists(keys.reserved(what), keys.reservations(agent))).toBe(0);
  expect(idsIn(await one.lease(agent, { worker_id: what }))).toEqual([]);
});

test('the deletion of an agent removes its reservations', async () => {
  const agent = await one.createAgent('llama');
  const { continue_of } = await createFor(one, agent, 'left');
  await one.createTasks(agent, 60, { continue_of });
  await one.http.delete(`/agents/${agent}`).expect(204);
  expect(idsIn(await one.leaseByType('llama', { worker_id: 'left' }))).toEqual([]);
  await until(async () => (await redis.exists(keys.reserved('left'), keys.purges)) === 0);
});

test('a retry is reserved from its start, for the worker of the task that it continues', async () => {
  const agent = await one.createAgent();
  const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
  const { id } = await createFor(one, agent, 'home', { retry_policy });
  await passReservation(one, id);
  await untilQueued(agent, 1);
  const [lease] = (await one.lease(agent, AWAY)).body.leases;
  await one.report(lease, { status: 'failed' }).expect(200);
  expect(idsIn(await one.lease(agent, { ...AWAY, wait_seconds: 1 }))).toEqual([]);
  expect(await waitingOf(agent, id)).toMatchObject({ reason: 'reserved', worker_id: 'home' });
  expect(idsIn(await other.lease(agent, HOME))).toEqual([id]);
});

test('a task that its worker releases is for any worker when the minute is over', async () => {
  const agent = await one.createAgent();
  const { id } = await createFor(one, agent, 'home');
  const [lease] = (await one.lease(agent, HOME)).body.leases;
  await one.release(lease).expect(204);
  expect(idsIn(await one.lease(agent, AWAY))).toEqual([]);
  const [again] = (await one.lease(agent, HOME)).body.leases;
  await passReservation(one, id);
  await other.release(again).expect(204);
  expect(idsIn(await one.lease(agent, AWAY))).toEqual([id]);
});

test('a task whose reservation is over is in the queue of its agent only', async () => {
  const agent = await one.createAgent();
  const { id } = await createFor(one, agent, 'home');
  await passReservation(one, id);
  await untilQueued(agent, 1);
  expect(await redis.zscore(keys.reserved('home'), id)).toBeNull();
  expect(await waitingOf(agent, id)).toMatchObject({ reason: expect.not.stringContaining('reserved') });
});

test('reservations outlive restarts of Redis and of the service, and end meanwhile', async () => {
  const before = await startService({ ownRedis: true });
  const { ownRedis, prefix } = before;
  const agent = await before.createAgent();
  const continue_of = await runBy(before, agent, 'home');
  const kept = await before.createTask(agent, { continue_of });
  const ended = await before.createTask(agent, { continue_of });
  await ownRedis?.kill();
  await ownRedis?.restart();
  const after = await startService({ redisUrl: ownRedis?.url, prefix });
  expect(idsIn(await after.lease(agent, AWAY))).toEqual([]);
  await passReservation(after, ended.id);
  expect(idsIn(await after.lease(agent, { ...AWAY, wait_seconds: 5 }))).toEqual([ended.id]);
  expect(idsIn(await after.leaseByType('claude', HOME))).toEqual([kept.id]);
});
