import { setTimeout as sleep } from 'node:timers/promises';
import { keysOf, masterWith, processIdOf } from '@agent-fleet/shared/testing/redis-nodes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type Agent, type Api, type Lease, pathOf, type Task } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { withRedis } from '../harness/redis.ts';

const FAILOVER_TIMEOUT_MS = 60_000;
const REPLICATION_TIMEOUT_MS = 4_000;
const TASKS = 20;
/** Responses in a row after which the new master is known to all. */
const STEADY = 20;
const RETRY_MS = 50;
/** Longer than the failover. */
const LEASE_SECONDS = 120;

/** The fleet on a Redis with replicas, whose master is killed. */
export function specifyFailover(api: Api): void {
  test('no replicated change is lost with the master, and work continues on the new one', async () => {
    const before = await work(api);
    const waitingAgent = await api.createAgent();
    const waiting = leaseAsWorker(api, waitingAgent);
    await killMaster(api);
    const statuses = await statusesUntilOk(api, `/agents/${before.agent.id}`);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(503);
    await expectUnchanged(api, before);
    await finish(api, before);
    await expectServedAgain(api);

    const task = await api.createTask(waitingAgent.id);
    const lease = await waiting;
    expect(lease.task.id).toBe(task.id);
    expect((await api.report(lease, { result: 'done' })).status).toBe(200);
    expect(await api.readTask(task)).toMatchObject({ status: 'completed', result: 'done', attempt: 1 });
  }, 180_000);
}

interface Before {
  agent: Agent;
  tasks: Task[];
  running: Lease;
  events: string;
  /** Repeats a request with its `Idempotency-Key`. */
  repeat(): Promise<HttpResponse>;
  repeated: HttpResponse;
}

/** An agent with a task that is completed, one that is running and some that are pending. */
async function work(api: Api): Promise<Before> {
  const agent = await api.createAgent();
  const completed = await api.createRunning(agent.id);
  await api.report(completed, { result: { text: 'kept' } });
  const running = await api.createRunning(agent.id, {}, { lease_seconds: LEASE_SECONDS });
  await api.createTasks(agent.id, TASKS);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const repeat = () => api.call('POST', `/agents/${agent.id}/tasks`, { headers, body: { message: 'Once' } });
  const repeated = await repeat();
  return { agent, running, repeat, repeated, ...(await read(api, agent)) };
}

async function read(api: Api, { id }: Agent): Promise<Pick<Before, 'tasks' | 'events'>> {
  const tasks = (await api.get(`/agents/${id}/tasks?limit=100`)).json as Task[];
  return { tasks, events: (await api.get(`/agents/${id}/events?limit=1000`)).text };
}

/** Kills the master of the fleet's slot once its replica has every change. */
async function killMaster({ fleet }: Api): Promise<void> {
  await withRedis(fleet.redisUrl, async (redis) => {
    const [index = ''] = await keysOf(redis, `${fleet.redisPrefix}:{*}:agents`);
    const master = await masterWith(redis, index);
    // WAIT is about the writes of its own connection.
    await master.set(`${index}:barrier`, '');
    expect(await master.wait(1, REPLICATION_TIMEOUT_MS)).toBe(1);
    process.kill(await processIdOf(master), 'SIGKILL');
  });
}

/** The statuses of GET requests, one after the other, until the last ones are 200. */
async function statusesUntilOk(api: Api, path: string): Promise<number[]> {
  const statuses: number[] = [];
  const isOk = async () => {
    const { status } = await api.get(path);
    statuses.push(status);
    // The first requests may be faster than the signal. In a cluster, a connection to the former master may be tried
    // again while others have the new one.
    return statuses.includes(503) && statuses.slice(-STEADY).every((last) => last === 200);
  };
  await until(isOk, { message: () => `the statuses are ${statuses}`, timeoutMs: FAILOVER_TIMEOUT_MS });
  return statuses;
}

async function expectUnchanged(api: Api, { agent, tasks, events, repeat, repeated }: Before): Promise<void> {
  expect(tasks).toHaveLength(TASKS + 3);
  expect(await read(api, agent)).toEqual({ tasks, events });
  const again = await repeat();
  expect([again.status, again.text]).toEqual([201, repeated.text]);
  const { headers } = await api.get(`/agents/${agent.id}/tasks`);
  expect(headers['x-total-count']).toBe(String(tasks.length));
}

/** Completes the running task, and the pending ones in their order. */
async function finish(api: Api, { agent, tasks, running }: Before): Promise<void> {
  expect((await api.heartbeat(running)).status).toBe(200);
  expect((await api.report(running)).status).toBe(200);
  const pending = tasks.filter(({ status }) => status === 'pending');
  for (const { id } of pending) {
    const lease = await api.lease(agent.id);
    expect(lease.task.id).toBe(id);
    expect((await api.report(lease)).status).toBe(200);
  }
  for (const task of tasks) expect((await api.get(pathOf(task))).json).toMatchObject({ status: 'completed' });
}

/** Sign-in, the registry and rate limits work, and dependencies are ready. */
async function expectServedAgain(api: Api): Promise<void> {
  await api.fleet.untilReady();
  expect((await api.signIn()).status).toBe(200);
  expect((await api.call('GET', '/protected', { as: 'token' })).status).toBe(200);
  const skills = await api.get('/api/skills?limit=1');
  expect(skills.status).toBe(200);
  expect(skills.headers['ratelimit-policy']).toBeDefined();
}

/** Waits for work as a worker does: it repeats the request while the store is unavailable. */
async function leaseAsWorker(api: Api, { id }: Agent): Promise<Lease> {
  for (;;) {
    const { status, text, json } = await api.requestLease(id, { wait_seconds: 30 });
    const [lease] = status === 201 ? (json as { leases: Lease[] }).leases : [];
    if (lease) return lease;
    if (![200, 201, 204, 503].includes(status)) throw new Error(`Not leased: ${status} ${text}`);
    await sleep(RETRY_MS);
  }
}
