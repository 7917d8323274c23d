import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const LANES = 11;
/** Of requests in the lanes. */
const WAIT_SECONDS = 6;
const types = ['claude', 'gpt', ...Array.from({ length: LANES }, (_, at) => `lane${at}`)];
const { one, other } = await startTwoReplicas({ AGENT_TYPES: types.join(',') });

interface Leases {
  status: number;
  body: { leases?: { task: { id: string; agent_id: string } }[] };
}

const agentsOf = ({ body }: Leases) => (body.leases ?? []).map(({ task }) => task.agent_id);
const limitedTo = (agents: readonly string[], replica = one) => connectAs(replica.url, 'key:worker', { agents });

/** Time for a request to begin its wait. */
const untilWaiting = () => sleep(400);

test('wakes a worker of a limited key for a retry, a release and a new type of its agents', async () => {
  const mine = await one.createAgent('claude');
  const key = limitedTo([mine]);
  await one.createTask(mine, { max_attempts: 5, retry_policy: { delay_seconds: 0 } });
  let [lease] = (await key.leaseByType('claude')).body.leases;
  for (const end of [() => one.release(lease), () => one.report(lease, { status: 'failed' })]) {
    const waiting = key.leaseByType('claude', { wait_seconds: 20 });
    await untilWaiting();
    await end();
    [lease] = (await waiting).body.leases;
  }
  await one.release(lease).expect(204);
  const waiting = key.leaseByType('gpt', { wait_seconds: 20 });
  await untilWaiting();
  await other.http.put(`/agents/${mine}`).send({ name: 'x', type: 'gpt' }).expect(200);
  expect((await waiting).status).toBe(201);
});

test('a worker of a limited key that waits for other types takes no wakeup from others', async () => {
  const mine = await one.createAgent('claude');
  const limited = Array.from({ length: 3 }, () => limitedTo([mine]).leaseByType('gpt', { wait_seconds: 8 }));
  await untilWaiting();
  const waiting = one.leaseByType('claude', { wait_seconds: 20 });
  await untilWaiting();
  const began = Date.now();
  await one.createTask(mine);
  expect((await waiting).status).toBe(201);
  expect(Date.now() - began).toBeLessThan(2_000);
  expect((await Promise.all(limited)).map(({ status }) => status)).toEqual([204, 204, 204]);
});

test('a worker that takes other work than that of its wakeup wakes another one for that', async () => {
  const { redis, keys } = one;
  const [a, b] = [await one.createAgent('claude'), await one.createAgent('claude')];
  await one.createTask(a);
  await one.createTask(b);
  const queues = await Promise.all(
    [a, b].map(async (agent) => [agent, ...(await redis.zrange(keys.queue(agent), 0, '0'))]),
  );
  await redis.del(keys.queue(a), keys.queue(b), keys.ready('claude'));
  const wait = async (limit?: string[]) => {
    const waiting = (limit ? limitedTo(limit) : one).leaseByType('claude', { wait_seconds: 10 });
    await untilWaiting();
    return { waiting };
  };
  const workers = [await wait([a, b]), await wait([b]), await wait()];
  // The first worker gets the wakeup of `a`, the second one that of `b`; the turn is that of `b`.
  const change = redis.multi();
  for (const [at, [agent = '', task = '']] of queues.entries()) {
    change.zadd(keys.queue(agent), 5e14, task).zadd(keys.ready('claude'), -at, agent);
    change.xadd(keys.wakeups, '*', 'a', agent, 'y', 'claude', 'n', 1);
  }
  await change.exec();
  const [first, second, third] = await Promise.all(workers.map(({ waiting }) => waiting));
  expect([first, third].map((reply) => agentsOf(reply as Leases))).toEqual([[b], [a]]);
  expect(second?.status).toBe(204);
});

test('leaves no task to wait while a worker waits that may lease it', async () => {
  const playLane = async (lane: number) => {
    const type = `lane${lane}`;
    const agents: string[] = [];
    for (let at = 0; at < 3; at++) agents.push(await one.createAgent(type));
    for (let round = 0; round < 2; round++) {
      const [a, b, c] = agents as [string, string, string];
      const limits = [[a, b], [b], undefined, [a], undefined, [b, c]].toSorted(() => Math.random() - 0.5);
      const open = new Set<readonly string[] | undefined>();
      const workers = limits.map(async (limit, at) => {
        const replica = lane % 3 === 0 && at % 2 ? other : one;
        open.add(limit);
        await (limit ? limitedTo(limit, replica) : replica).leaseByType(type, { wait_seconds: WAIT_SECONDS });
        open.delete(limit);
      });
      await untilWaiting();
      await Promise.all(
        Array.from({ length: 4 }, () => one.createTask(agents[Math.floor(Math.random() * 3)] as string)),
      );
      const mayLease = async () => {
        const left = (await one.http.get(`/tasks?type=${type}&status=pending`)).body as { agent_id: string }[];
        return [...open].filter((limit) => left.some(({ agent_id }) => !limit || limit.includes(agent_id)));
      };
      // Sooner than the requests end, as each looks once more then.
      await until(mayLease, { holds: ({ length }) => length === 0, timeoutMs: 1_000 });
      await Promise.all(workers);
      while ((await one.leaseByType(type, { max_tasks: 20 })).status === 201);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, lane) => playLane(lane)));
});
