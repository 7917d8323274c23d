import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { createTime } from '../model/time.ts';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const MAX_AGENTS = 3;
const MAX_PENDING = 5;
const env = {
  MAX_AGENTS_PER_PRINCIPAL: String(MAX_AGENTS),
  MAX_PENDING_TASKS_PER_PRINCIPAL: String(MAX_PENDING),
};
const one = await startService({ env });
const two = await startService({ env, prefix: one.prefix });
const { redis, keys } = one;
const time = createTime(redis, keys);
afterAll(async () => {
  const problems = await checkDatabase(redis, keys);
  await one.close();
  await two.close();
  expect(problems).toEqual([]);
});

let last = 0;
const newcomer = (principal = `user:${++last}@example.com`) => ({
  ...connectAs(one.url, principal),
  elsewhere: connectAs(two.url, principal),
  principal,
});
type Caller = ReturnType<typeof newcomer>;

const usage = async ({ principal }: Caller, what: 'agents' | 'tasks') =>
  Number((await redis.hget(keys.usage, `${what} ${principal}`)) ?? 0);
const post = (caller: Pick<Caller, 'http'>, agent: string, fields: object = {}) =>
  caller.http.post(`/agents/${agent}/tasks`).send({ message: 'x', ...fields });
const cancel = ({ http }: Caller, agent: string, task: string) =>
  http.put(`/agents/${agent}/tasks/${task}/cancellation`).expect(200);

interface Result {
  status: number;
  task?: { id: string };
  error?: { error: string };
}

const statuses = (results: readonly Result[]) => results.map(({ status }) => status);

test('refuses one agent more than the quota, until one is deleted; others are not concerned', async () => {
  const caller = newcomer();
  const agents = [await caller.createAgent(), await caller.createAgent(), await caller.elsewhere.createAgent()];
  for (const { http } of [caller, caller.elsewhere]) {
    const refused = await http.post('/agents').send({ name: 'x', type: 'gpt' }).expect(403);
    expect(refused.body).toEqual({ error: 'quota_exceeded', message: expect.any(String) });
  }
  await newcomer().createAgent();
  await one.createAgent();
  // Whoever deletes it.
  await one.http.delete(`/agents/${agents[0]}`).expect(204);
  await caller.createAgent();
  await caller.http.post('/agents').send({ name: 'x', type: 'gpt' }).expect(403);
});

test('two replicas that race create no more agents and tasks than the quotas allow', async () => {
  const caller = newcomer();
  const both = [caller, caller.elsewhere];
  const send = (at: number) => both[at % 2]?.http.post('/agents').send({ name: 'x', type: 'gpt' });
  const agents = await Promise.all(Array.from({ length: 20 }, (_, at) => send(at)));
  expect(agents.filter((reply) => reply?.status === 201)).toHaveLength(MAX_AGENTS);
  const agent = agents.find((reply) => reply?.status === 201)?.body.id;
  const tasks = Array.from({ length: 12 }, () => ({ message: 'x' }));
  const [single, batches] = await Promise.all([
    Promise.all(Array.from({ length: 12 }, (_, at) => post(both[at % 2] as Caller, agent))),
    Promise.all(both.map(({ http }) => http.post(`/agents/${agent}/task-batches`).send({ tasks }).expect(201))),
  ]);
  const created = [...single.map(({ status }) => status), ...batches.flatMap(({ body }) => statuses(body.results))];
  expect(created.filter((status) => status === 201)).toHaveLength(MAX_PENDING);
  expect(created.filter((status) => status === 403)).toHaveLength(36 - MAX_PENDING);
  expect(await one.total(`/agents/${agent}/tasks`)).toBe(MAX_PENDING);
});

test('counts a pending task until it is leased, cancelled, deleted or expires, and again when it is retried', async () => {
  const caller = newcomer();
  const agent = await one.createAgent();
  const ids: string[] = [];
  for (let at = 0; at < MAX_PENDING; at++) ids.push((await caller.createTask(agent, { max_attempts: 5 })).id);
  const refused = await post(caller, agent).expect(403);
  expect(refused.body).toEqual({ error: 'quota_exceeded', message: expect.any(String) });
  const step = async (what: string, act: () => Promise<unknown>, expected: number) => {
    await act();
    expect([what, await usage(caller, 'tasks')]).toEqual([what, expected]);
  };
  let lease = { id: '', token: '', attempt: 0, task: { id: '', agent_id: '' } };
  const take = async () => {
    lease = (await one.lease(agent, { lease_seconds: 5 })).body.leases[0];
  };
  await step('lease', take, 4);
  await step('release', async () => one.release(lease).expect(204), 5);
  await step('lease again', take, 4);
  await step('failure', async () => one.report(lease, { status: 'failed' }).expect(200), 5);
  await step('third lease', take, 4);
  await step('end of the lease', () => time.pass({ agentId: agent, taskId: lease.task.id, what: 'lease' }), 5);
  await step('fourth lease', take, 4);
  await step('completion', async () => one.report(lease, { status: 'completed' }).expect(200), 4);
  const [a, b, c, d] = ids.filter((id) => id !== lease.task.id) as [string, string, string, string];
  await step('cancellation', async () => cancel(caller, agent, a), 3);
  await step('repeated cancellation', async () => cancel(caller, agent, a), 3);
  await step('deletion of a cancelled task', async () => one.http.delete(`/agents/${agent}/tasks/${a}`).expect(204), 3);
  await step('deletion', async () => one.http.delete(`/agents/${agent}/tasks/${b}`).expect(204), 2);
  await step('expiry', () => time.pass({ agentId: agent, taskId: c, what: 'expiry' }), 1);
  const replace = async () =>
    one.http.put(`/agents/${agent}/tasks/${d}`).send({ message: 'y', priority: 1 }).expect(200);
  await step('replacement', replace, 1);
  await step(
    'deletion of a running task',
    async () => {
      await take();
      await one.http.delete(`/agents/${agent}/tasks/${d}`).expect(204);
    },
    0,
  );
  expect(await redis.hexists(keys.usage, `tasks ${caller.principal}`)).toBe(0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('stops counting the tasks and the agent when the agent is deleted, by two replicas at once', async () => {
  const [caller, other] = [newcomer(), newcomer()];
  const [agent, kept] = [await caller.createAgent(), await caller.createAgent()];
  for (let at = 0; at < 4; at++) await caller.createTask(at < 3 ? agent : kept);
  await one.lease(agent);
  for (let at = 0; at < MAX_PENDING; at++) await caller.createTask(at < 2 ? kept : agent).catch(() => {});
  await other.createTask(agent);
  expect([await usage(caller, 'tasks'), await usage(other, 'tasks')]).toEqual([MAX_PENDING, 1]);
  const pendingOfKept = await one.total(`/agents/${kept}/tasks?status=pending`);
  const deletions = [caller, caller.elsewhere].map(({ http }) => http.delete(`/agents/${agent}`));
  expect((await Promise.all(deletions)).map(({ status }) => status).toSorted()).toEqual([204, 404]);
  await until(async () => (await redis.hlen(keys.purges)) === 0);
  expect([await usage(caller, 'tasks'), await usage(other, 'tasks')]).toEqual([pendingOfKept, 0]);
  expect(await usage(caller, 'agents')).toBe(1);
});

test('a batch over the quota creates the first tasks and refuses the others, in order', async () => {
  const caller = newcomer();
  const agent = await one.createAgent();
  await caller.createTask(agent);
  const tasks = [
    { message: '0' },
    {},
    ...Array.from({ length: 60 }, (_, at) => ({ message: `${at + 2}` })),
    { input: 1 },
  ];
  const send = (client: Pick<Caller, 'http'> = caller) =>
    client.http.post(`/agents/${agent}/task-batches`).set('idempotency-key', 'batch').send({ tasks }).expect(201);
  const { body } = await send();
  const results = body.results as Result[];
  expect(statuses(results)).toEqual([201, 400, 201, 201, 201, ...Array(57).fill(403), 400]);
  expect(results[5]).toEqual({ status: 403, error: { error: 'quota_exceeded', message: expect.any(String) } });
  const stored = (await one.http.get(`/agents/${agent}/tasks`)).body as { message: string }[];
  expect(stored.map(({ message }) => message)).toEqual(['x', '0', '2', '3', '4']);
  const again = await send(caller.elsewhere);
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([body, 'true']);
  expect(await usage(caller, 'tasks')).toBe(MAX_PENDING);
  const refused = await caller.http.post(`/agents/${agent}/task-batches`).send({ tasks }).expect(201);
  expect(new Set(statuses(refused.body.results))).toEqual(new Set([403, 400]));
});

test('a batch of several steps may begin in one step and end at the quota in another', async () => {
  const max = 60;
  const roomy = { MAX_PENDING_TASKS_PER_PRINCIPAL: String(max) };
  await using service = await startService({ env: roomy, prefix: one.prefix });
  const caller = connectAs(service.url, 'key:roomy');
  const agent = await one.createAgent();
  const tasks = Array.from({ length: 500 }, (_, at) => ({ message: `${at}` }));
  const send = () => caller.http.post(`/agents/${agent}/task-batches`).set('idempotency-key', 'b').send({ tasks });
  const { body } = await send().expect(201);
  expect(statuses(body.results)).toEqual([...Array(max).fill(201), ...Array(500 - max).fill(403)]);
  expect(await one.total(`/agents/${agent}/tasks`)).toBe(max);
  expect((await send().expect(201)).body).toEqual(body);
  await one.http.delete(`/agents/${agent}`).expect(204);
});

test('replays the reply to an Idempotency-Key over the quota, and keeps no refusal', async () => {
  const caller = newcomer();
  const agent = await one.createAgent();
  const keyed = (key: string) => post(caller, agent).set('idempotency-key', key);
  const { body } = await keyed('first').expect(201);
  for (let at = 1; at < MAX_PENDING; at++) await caller.createTask(agent);
  expect((await keyed('first').expect(201)).body).toEqual(body);
  await keyed('over').expect(403);
  await cancel(caller, agent, body.id);
  await keyed('over').expect(201);
  await keyed('first').expect(201);
  expect(await usage(caller, 'tasks')).toBe(MAX_PENDING);
  const createAgent = (key: string) =>
    caller.http.post('/agents').set('idempotency-key', key).send({ name: 'x', type: 'gpt' });
  const agents = [
    await createAgent('a').expect(201),
    await createAgent('b').expect(201),
    await createAgent('c').expect(201),
  ];
  await createAgent('d').expect(403);
  expect((await createAgent('a').expect(201)).body).toEqual(agents[0]?.body);
});

test('a retry may exceed the quota, and new tasks are refused until fewer are pending', async () => {
  const caller = newcomer();
  const agent = await one.createAgent();
  for (let at = 0; at < 2; at++) await caller.createTask(agent);
  const { leases } = (await one.lease(agent, { max_tasks: 2 })).body;
  for (let at = 0; at < MAX_PENDING; at++) await caller.createTask(agent);
  for (const lease of leases) await one.release(lease).expect(204);
  expect(await usage(caller, 'tasks')).toBe(MAX_PENDING + 2);
  await post(caller, agent).expect(403);
  const batch = await caller.http
    .post(`/agents/${agent}/task-batches`)
    .send({ tasks: [{ message: 'x' }] })
    .expect(201);
  expect(statuses(batch.body.results)).toEqual([403]);
});

test('counts nothing without quotas or a principal, and after they are set only what is created then', async () => {
  await using off = await startService({ prefix: one.prefix });
  const caller = newcomer();
  const unlimited = connectAs(off.url, caller.principal);
  const agents: string[] = [];
  for (let at = 0; at < MAX_AGENTS + 1; at++) agents.push(await unlimited.createAgent());
  const [agent = ''] = agents;
  await unlimited.createTasks(agent, MAX_PENDING + 1);
  await one.createTasks(agent, 1);
  expect([await usage(caller, 'agents'), await usage(caller, 'tasks')]).toEqual([0, 0]);
  expect(await redis.hexists(keys.agent(agent), 'owner')).toBe(0);
  const [first = ''] = await redis.zrange(keys.tasks({ agent }), 0, '0');
  expect(await redis.get(keys.state(first))).toMatch(/^\d+ $/);
  const { id } = await caller.createTask(agent);
  expect(await usage(caller, 'tasks')).toBe(1);
  // A replica without the quota goes on with what is counted.
  await off.http.put(`/agents/${agent}/tasks/${id}/cancellation`).expect(200);
  expect(await usage(caller, 'tasks')).toBe(0);
  const [lease] = (await off.lease(agent)).body.leases;
  await off.release(lease).expect(204);
  expect(await usage(caller, 'tasks')).toBe(0);
});

test('counts principals apart that look alike', async () => {
  for (const name of ['user:a', 'key:a', 'user:A', 'oidc:a:b', 'user:a%20b', 'user:__proto__', 'key:tasks%20user:a']) {
    const caller = newcomer(name);
    for (let at = 0; at < MAX_AGENTS; at++) await caller.createAgent();
    await caller.http.post('/agents').send({ name: 'x', type: 'gpt' }).expect(403);
  }
});

test('counts what a Redis that was killed had acknowledged', async () => {
  await using own = await startService({ env, ownRedis: true });
  await own.redis.config('SET', 'appendfsync', 'always');
  const caller = connectAs(own.url, 'user:crash@example.com');
  const agent = await caller.createAgent();
  const creations = Array.from({ length: 8 }, () =>
    post(caller, agent).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await sleep(2);
  await own.ownRedis?.kill();
  await Promise.all(creations);
  await own.ownRedis?.restart();
  await until(async () => (await own.http.get('/ready')).status === 200, { timeoutMs: 60_000 });
  expect(await checkDatabase(own.redis, own.keys)).toEqual([]);
  for (let at = 0; at <= MAX_PENDING && (await post(caller, agent)).status === 201; at++);
  expect(await own.total(`/agents/${agent}/tasks?status=pending`)).toBe(MAX_PENDING);
});

test('counts a retry of an ended task', async () => {
  const caller = newcomer();
  const agent = await caller.createAgent();
  const { body: ended } = await post(caller, agent).expect(201);
  await cancel(caller, agent, ended.id);
  const retry = ({ http }: Pick<Caller, 'http'>) => http.post(`/agents/${agent}/tasks/${ended.id}/retries`);
  for (let at = 0; at < MAX_PENDING; at++) await retry(at % 2 ? caller : caller.elsewhere).expect(201);
  const refused = await retry(caller).expect(403);
  expect(refused.body).toEqual({ error: 'quota_exceeded', message: expect.any(String) });
  expect(await usage(caller, 'tasks')).toBe(MAX_PENDING);
});
