import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Task } from '../src/tasks/task.ts';
import { checkDatabase } from './database/check-database.ts';
import type { Lease } from './support/client.ts';
import { startReplicas } from './support/replicas.ts';
import { send } from './support/send.ts';

/** The clocks of the two replicas; that of Redis and of the test is between. */
const CLOCKS_MS = [4_000, -4_000];
/** Measuring Redis' clock is this exact on a busy machine. */
const TOLERANCE_MS = 300;
/** Less than a clock is ahead, so that a replica that judged by its own would refuse the result. */
const EARLY_MS = 3_500;
const LEASE_MS = 8_000;
/** A deadline is noticed within this time. */
const NOTICED_MS = 5_000;

interface Beat {
  expires_at: string;
}

const replicas = await startReplicas(CLOCKS_MS);
const { redis, keys } = replicas;

const AHEAD = 0;
const BEHIND = 1;
const both = [AHEAD, BEHIND];

const request = <Body>(replica: number, method: string, path: string, body?: object) =>
  send<Body>(replicas.ports[replica] as number, { method, path, body });

/** Sends a request, which must get this status. */
async function call<Body>(replica: number, method: string, path: string, body: object | undefined, expected: number) {
  const reply = await request<Body>(replica, method, path, body);
  expect([reply.status, reply.body]).toEqual([expected, reply.body]);
  return reply.body;
}

async function createAgent(): Promise<string> {
  return (await call<{ id: string }>(AHEAD, 'POST', '/agents', { name: 'x', type: 'claude' }, 201)).id;
}

const createTask = (replica: number, agentId: string, fields: object = {}) =>
  call<Task>(replica, 'POST', `/agents/${agentId}/tasks`, { message: 'x', ...fields }, 201);

async function lease(replica: number, agentId: string): Promise<Lease & Beat> {
  const body = { worker_id: 'w', lease_seconds: LEASE_MS / 1_000 };
  const { leases } = await call<{ leases: (Lease & Beat)[] }>(replica, 'POST', `/agents/${agentId}/leases`, body, 201);
  return leases[0] as Lease & Beat;
}

const readEvents = ({ agent_id, id }: Task) =>
  call<{ type: string; at: string }[]>(BEHIND, 'GET', `/agents/${agent_id}/tasks/${id}/events`, undefined, 200);

function expectSince(began: number, at: number): void {
  expect(at).toBeGreaterThan(began - TOLERANCE_MS);
  expect(at).toBeLessThan(Date.now() + TOLERANCE_MS);
}

test('keeps leases that each replica gives, while heartbeats reach the other', async () => {
  const keep = async (giver: number) => {
    const other = 1 - giver;
    const task = await createTask(other, await createAgent());
    const { id, token } = await lease(giver, task.agent_id);
    for (let beats = 0; beats < 3; beats++) {
      await sleep(LEASE_MS / 2);
      const began = Date.now();
      const { expires_at } = await call<Beat>(other, 'PUT', `/leases/${id}/heartbeat`, { token }, 200);
      expectSince(began, Date.parse(expires_at) - LEASE_MS);
    }
    await call(giver, 'PUT', `/leases/${id}/result`, { token, status: 'completed' }, 200);
    expect(await readEvents(task)).toMatchObject([{}, { type: 'task.leased' }, { type: 'task.completed' }]);
  };
  await Promise.all(both.map(keep));
});

test('accepts the result of a lease until the lease ends, and no later', async () => {
  const report = async (giver: number, receiver: number, afterEndMs: number) => {
    const task = await createTask(giver, await createAgent());
    const { id, token, expires_at } = await lease(giver, task.agent_id);
    await sleep(Date.parse(expires_at) + afterEndMs - Date.now());
    return (await request(receiver, 'PUT', `/leases/${id}/result`, { token, status: 'completed' })).status;
  };
  const pairs = both.flatMap((giver) => both.map((receiver) => [giver, receiver] as const));
  const [early, late] = await Promise.all(
    [-EARLY_MS, TOLERANCE_MS].map((ms) => Promise.all(pairs.map(([from, to]) => report(from, to, ms)))),
  );
  expect([early, late]).toEqual([pairs.map(() => 200), pairs.map(() => 409)]);
});

test('takes tasks back within 5 s of the end of their leases, once', async () => {
  const agentId = await createAgent();
  const tasks = await Promise.all(Array.from({ length: 20 }, (_, at) => createTask(at % 2, agentId)));
  await Promise.all(tasks.map((_, at) => lease(at % 2, agentId)));
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
  const schedule = async (scheduler: number) => {
    const agentId = await createAgent();
    const start = Date.now() + 5_000;
    const task = await createTask(scheduler, agentId, { scheduled_at: new Date(start).toISOString() });
    const body = { worker_id: 'w', wait_seconds: 8 };
    const wait = async (replica: number) => (await request(replica, 'POST', `/agents/${agentId}/leases`, body)).status;
    expect((await Promise.all(both.map(wait))).toSorted()).toEqual([201, 204]);
    const leased = (await readEvents(task)).find(({ type }) => type === 'task.leased');
    const lateMs = Date.parse(String(leased?.at)) - start;
    expect(lateMs).toBeGreaterThanOrEqual(-TOLERANCE_MS);
    expect(lateMs).toBeLessThan(1_000);
  };
  await Promise.all(both.map(schedule));
});

test('refuses a start in the past and accepts one in the future by the clock of Redis', async () => {
  const agentId = await createAgent();
  for (const replica of both) {
    const create = (inMs: number) => {
      const scheduled_at = new Date(Date.now() + inMs).toISOString();
      return request(replica, 'POST', `/agents/${agentId}/tasks`, { message: 'x', scheduled_at });
    };
    expect([(await create(-3_000)).status, (await create(3_000)).status]).toEqual([422, 201]);
  }
});

test('lists tasks in the order in which two replicas created them, with plausible times', async () => {
  const agentId = await createAgent();
  const created: Task[] = [];
  for (let at = 0; at < 10; at++) {
    const began = Date.now();
    const task = await createTask(at % 2, agentId);
    expectSince(began, Date.parse(task.created_at));
    created.push(task);
    await sleep(2 * TOLERANCE_MS);
  }
  const listed = await call<Task[]>(BEHIND, 'GET', `/agents/${agentId}/tasks`, undefined, 200);
  expect(listed.map(({ id }) => id)).toEqual(created.map(({ id }) => id));
});

test('leaves a whole database', async () => {
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
