import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Task } from '../src/tasks/task.ts';
import { checkDatabase } from './database/check-database.ts';
import type { Lease } from './support/client.ts';
import { startReplicas } from './support/replicas.ts';

/** The clocks of the two replicas; that of Redis and of the test is between. */
const CLOCKS_MS = [4_000, -4_000];
/** Measuring Redis' clock is this exact on a busy machine. */
const TOLERANCE_MS = 300;
/** Less than a clock is ahead, so that a replica that judged by its own would refuse the result. */
const EARLY_MS = 3_500;
const LEASE_MS = 8_000;
/** A deadline is noticed within this time. */
const NOTICED_MS = 5_000;

const { clients, redis, keys } = await startReplicas(CLOCKS_MS);
type Client = (typeof clients)[number];
const [ahead, behind] = clients as [Client, Client];
/** Each replica with the other one. */
const pairs = [
  [ahead, behind],
  [behind, ahead],
] as const;

async function lease(replica: Client, agentId: string): Promise<Lease & { expires_at: string }> {
  const { body } = await replica.lease(agentId, { lease_seconds: LEASE_MS / 1_000 });
  return body.leases[0];
}

const complete = (replica: Client, held: Lease) => replica.report(held, { status: 'completed' });

const readEvents = async ({ agent_id, id }: Task): Promise<{ type: string; at: string }[]> =>
  (await behind.http.get(`/agents/${agent_id}/tasks/${id}/events`).expect(200)).body;

function expectSince(began: number, at: number): void {
  expect(at).toBeGreaterThan(began - TOLERANCE_MS);
  expect(at).toBeLessThan(Date.now() + TOLERANCE_MS);
}

test('keeps leases that each replica gives, while heartbeats reach the other', async () => {
  const keep = async (giver: Client, other: Client) => {
    const task = await other.createTask(await ahead.createAgent());
    const held = await lease(giver, task.agent_id);
    for (let beats = 0; beats < 3; beats++) {
      await sleep(LEASE_MS / 2);
      const began = Date.now();
      const { body } = await other.http.put(`/leases/${held.id}/heartbeat`).send({ token: held.token }).expect(200);
      expectSince(began, Date.parse(body.expires_at) - LEASE_MS);
    }
    await complete(giver, held).expect(200);
    expect(await readEvents(task)).toMatchObject([{}, { type: 'task.leased' }, { type: 'task.completed' }]);
  };
  await Promise.all(pairs.map(([giver, other]) => keep(giver, other)));
});

test('accepts the result of a lease until the lease ends, and no later', async () => {
  const report = async (giver: Client, receiver: Client, afterEndMs: number) => {
    const { agent_id } = await giver.createTask(await ahead.createAgent());
    const held = await lease(giver, agent_id);
    await sleep(Date.parse(held.expires_at) + afterEndMs - Date.now());
    return (await complete(receiver, held)).status;
  };
  const ways = clients.flatMap((giver) => clients.map((receiver) => [giver, receiver] as const));
  const [early, late] = await Promise.all(
    [-EARLY_MS, TOLERANCE_MS].map((ms) => Promise.all(ways.map(([from, to]) => report(from, to, ms)))),
  );
  expect([early, late]).toEqual([ways.map(() => 200), ways.map(() => 409)]);
});

test('takes tasks back within 5 s of the end of their leases, once', async () => {
  const agentId = await ahead.createAgent();
  const inTurn = Array.from({ length: 10 }, () => clients).flat();
  const tasks = await Promise.all(inTurn.map((replica) => replica.createTask(agentId)));
  await Promise.all(inTurn.map((replica) => lease(replica, agentId)));
  await sleep(LEASE_MS + NOTICED_MS);
  for (const task of tasks) {
    const events = await readEvents(task);
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'task.leased', 'task.retry']);
    const [leased, retried] = events.slice(1).map(({ at }) => Date.parse(at)) as [number, number];
    expect(retried - leased).toBeGreaterThanOrEqual(LEASE_MS - TOLERANCE_MS);
    expect(retried - leased).toBeLessThan(LEASE_MS + NOTICED_MS);
  }
});

test('starts tasks that each replica schedules within their second', async () => {
  const schedule = async (scheduler: Client) => {
    const agentId = await ahead.createAgent();
    const start = Date.now() + 5_000;
    const task = await scheduler.createTask(agentId, { scheduled_at: new Date(start).toISOString() });
    const waits = clients.map(async (replica) => (await replica.lease(agentId, { wait_seconds: 8 })).status);
    expect((await Promise.all(waits)).toSorted()).toEqual([201, 204]);
    const leased = (await readEvents(task)).find(({ type }) => type === 'task.leased');
    const lateMs = Date.parse(String(leased?.at)) - start;
    expect(lateMs).toBeGreaterThanOrEqual(-TOLERANCE_MS);
    expect(lateMs).toBeLessThan(1_000);
  };
  await Promise.all(clients.map(schedule));
});

test('refuses a start in the past and accepts one in the future by the clock of Redis', async () => {
  const agentId = await ahead.createAgent();
  for (const { http } of clients) {
    const create = (inMs: number) => {
      const scheduled_at = new Date(Date.now() + inMs).toISOString();
      return http.post(`/agents/${agentId}/tasks`).send({ message: 'x', scheduled_at });
    };
    expect([(await create(-3_000)).status, (await create(3_000)).status]).toEqual([422, 201]);
  }
});

test('lists tasks in the order in which two replicas created them, with plausible times', async () => {
  const agentId = await ahead.createAgent();
  const created: Task[] = [];
  for (const replica of Array.from({ length: 5 }, () => clients).flat()) {
    const began = Date.now();
    const task = await replica.createTask(agentId);
    expectSince(began, Date.parse(task.created_at));
    created.push(task);
    await sleep(2 * TOLERANCE_MS);
  }
  const listed: Task[] = (await behind.http.get(`/agents/${agentId}/tasks`).expect(200)).body;
  expect(listed.map(({ id }) => id)).toEqual(created.map(({ id }) => id));
});

test('leaves a whole database', async () => {
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
