import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentStore } from '../src/agents/agent-store.ts';
import type { FleetContext } from '../src/redis/fleet-context.ts';
import { checkDatabase } from './database/check-database.ts';
import { connectAs } from './support/callers.ts';
import { send } from './support/send.ts';
import { startService } from './support/start-service.ts';
import { startTwoReplicas } from './support/two-replicas.ts';

const ARRIVED_MS = 500;
const { one, other, redis, keys } = await startTwoReplicas();
let agentId: string;
beforeEach(async () => {
  agentId = await one.createAgent();
});

const pause = (id: string, service = one) => service.http.put(`/agents/${id}/pause`).expect(200);
const resume = (id: string, service = one) => service.http.delete(`/agents/${id}/pause`).expect(204);
const typesOf = async (id: string): Promise<string[]> =>
  (await one.http.get(`/agents/${id}/events?limit=1000`).expect(200)).body.map(({ type }: { type: string }) => type);

test('no task is leased after the response to a pause, while two replicas lease as fast as they can', async () => {
  await one.createTasks(agentId, 500);
  let isOver = false;
  /** Number of the pause, from its response until the next resumption is requested; otherwise 0. */
  let paused = 0;
  const late: unknown[] = [];
  async function work(service: typeof one, byType: boolean): Promise<number> {
    let leased = 0;
    while (!isOver) {
      const before = paused;
      const body = { worker_id: 'w', max_tasks: 3, ...(byType && { types: ['claude'] }) };
      const path = byType ? '/leases' : `/agents/${agentId}/leases`;
      const reply = await send<{ leases: unknown[] }>(service.port, { method: 'POST', path, body });
      if (reply.status !== 201) await sleep(1);
      else if (before > 0 && before === paused) late.push(reply.body);
      else leased += reply.body.leases.length;
    }
    return leased;
  }
  const working = [one, other].flatMap((service) => [work(service, false), work(service, true)]);
  for (let round = 0; round < 25; round++) {
    await sleep(5);
    await pause(agentId, round % 2 === 0 ? one : other);
    paused = round + 1;
    await sleep(10);
    paused = 0;
    await resume(agentId, round % 2 === 0 ? other : one);
  }
  isOver = true;
  const leased = (await Promise.all(working)).reduce((sum, count) => sum + count, 0);
  expect(late).toEqual([]);
  expect(leased).toBeGreaterThan(0);
  let state = 'agent.resumed';
  for (const type of await typesOf(agentId)) {
    if (type === 'agent.paused' || type === 'agent.resumed') state = type;
    else if (type === 'task.leased') expect(state).toBe('agent.resumed');
  }
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

describe('workers that wait', () => {
  test('are not woken by new tasks of a paused agent, and all are by its resumption at another replica', async () => {
    const agent = await one.createAgent('gpt');
    await pause(agent);
    const waiting = Array.from({ length: 3 }, (_, at) =>
      (at === 0 ? one : other).leaseByType('gpt', { wait_seconds: 20, worker_id: `w${at}` }),
    );
    await sleep(ARRIVED_MS);
    const [last] = await redis.xrevrange(keys.wakeups, '+', '-', 'COUNT', 1);
    await one.createTasks(agent, 3);
    await sleep(ARRIVED_MS);
    expect(await redis.xrevrange(keys.wakeups, '+', '-', 'COUNT', 1)).toEqual(last ? [last] : []);
    await resume(agent);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  test('of a key that is limited to the agent get its tasks after a pause too', async () => {
    const agent = await one.createAgent('gpt');
    await pause(agent);
    await one.createTask(agent);
    const limited = connectAs(other.url, 'key:limited', { agents: [agent] });
    expect((await limited.leaseByType('gpt')).status).toBe(204);
    const waiting = limited.leaseByType('gpt', { wait_seconds: 20 });
    void waiting.catch(() => undefined);
    await sleep(ARRIVED_MS);
    await resume(agent);
    expect((await waiting).status).toBe(201);
  });
});

test('lists of agents that are not paused are complete, page by page, when most of them are paused', async () => {
  const agents: string[] = [];
  for (let at = 0; at < 700; at++) agents.push(await one.createAgent('gemini'));
  const [first, last] = [agents[3] as string, agents[690] as string];
  await Promise.all(agents.filter((id) => id !== first && id !== last).map((id) => pause(id)));
  for (const order of ['asc', 'desc']) {
    for (const limit of [1, 2, 1000]) {
      const found: string[] = [];
      let next: string | undefined = `/agents?type=gemini&paused=false&order=${order}&limit=${limit}`;
      while (next) {
        const { body, headers }: { body: { id: string }[]; headers: Record<string, string> } = await one.http.get(next);
        expect(headers['x-total-count']).toBe('2');
        expect(body.length).toBeGreaterThan(0);
        found.push(...body.map(({ id }) => id));
        next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
      }
      expect(found).toEqual(order === 'asc' ? [first, last] : [last, first]);
    }
  }
  const limited = connectAs(one.url, 'key:limited', { agents: agents.slice(0, 5) });
  const listed = async (paused: boolean) =>
    (await limited.http.get(`/agents?paused=${paused}`).expect(200)).body.map(({ id }: { id: string }) => id);
  expect(await listed(false)).toEqual([first]);
  expect(await listed(true)).toEqual(agents.slice(0, 5).filter((id) => id !== first));
});

test('the total of agents that are not paused is exact while paused ones are deleted between two reads', async () => {
  const service = await startService();
  const paused: string[] = [];
  for (let at = 0; at < 10; at++) {
    const id = await service.createAgent();
    if (at >= 2) paused.push(id);
  }
  for (const id of paused) await pause(id, service);
  let before = Promise.resolve<unknown>(undefined);
  /** Runs one command at a time, and deletes a paused agent after each. */
  const inSteps = (command: (...words: unknown[]) => Promise<unknown>) =>
    function (this: unknown, ...words: unknown[]) {
      const reply = before.then(() => command.apply(service.redis, words));
      before = reply.then(() => service.http.delete(`/agents/${paused.pop()}`).expect(204));
      return reply;
    };
  const redis = new Proxy(service.redis, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? inSteps(value) : value;
    },
  });
  const store = new AgentStore({ ...service, redis } as unknown as FleetContext);
  expect(await store.list({ paused: false }, { skip: 0, limit: 1, order: 'asc' })).toMatchObject({ total: 2 });
  expect(paused.length).toBeLessThan(8);
  await before;
});

test('a paused agent that gets another type stays paused, and its tasks are leased by that type afterwards', async () => {
  const { id } = await one.createTask(agentId);
  await pause(agentId);
  await one.http.put(`/agents/${agentId}`).send({ name: 'x', type: 'llama' }).expect(200);
  expect((await other.leaseByType('llama')).status).toBe(204);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  expect((await one.http.get('/agents?type=llama&paused=true').expect(200)).body).toHaveLength(1);
  await resume(agentId);
  expect((await other.leaseByType('llama')).body.leases[0].task).toMatchObject({ id });
});
