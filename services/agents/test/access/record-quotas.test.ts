import { afterEach, expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const MAX_AGENTS = 3;
const MAX_PENDING = 5;
const { one, other, redis, keys } = await startTwoReplicas({
  MAX_AGENTS_PER_PRINCIPAL: String(MAX_AGENTS),
  MAX_PENDING_TASKS_PER_PRINCIPAL: String(MAX_PENDING),
});
afterEach(async () => expect(await checkDatabase(redis, keys)).toEqual([]));

let last = 0;
const newcomer = (principal = `user:${++last}@example.com`) => ({
  ...connectAs(one.url, principal),
  elsewhere: connectAs(other.url, principal),
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

test('a batch over the quota creates the first tasks, in steps, and refuses the others, in order', async () => {
  const max = 30;
  const roomy = await startService({
    env: { MAX_PENDING_TASKS_PER_PRINCIPAL: String(max) },
    prefix: one.prefix,
  });
  const caller = connectAs(roomy.url, 'key:roomy');
  const agent = await one.createAgent();
  await caller.createTask(agent);
  const messages = Array.from({ length: 60 }, (_, at) => `${at + 2}`);
  const tasks = [{ message: '0' }, {}, ...messages.map((message) => ({ message })), { input: 1 }];
  const send = () => caller.http.post(`/agents/${agent}/task-batches`).set('idempotency-key', 'batch').send({ tasks });
  const { body } = await send().expect(201);
  const results = body.results as Result[];
  expect(statuses(results)).toEqual([201, 400, ...Array(max - 2).fill(201), ...Array(62 - max).fill(403), 400]);
  expect(results.at(-2)).toEqual({ status: 403, error: { error: 'quota_exceeded', message: expect.any(String) } });
  const stored = (await one.http.get(`/agents/${agent}/tasks`)).body as { message: string }[];
  expect(stored.map(({ message }) => message)).toEqual(['x', '0', ...messages.slice(0, max - 2)]);
  const again = await send().expect(201);
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([body, 'true']);
  const refused = await caller.http.post(`/agents/${agent}/task-batches`).send({ tasks }).expect(201);
  expect(new Set(statuses(refused.body.results))).toEqual(new Set([403, 400]));
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
  const off = await startService({ prefix: one.prefix });
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
  expect(await redis.get(keys.state(first))).not.toContain('"owner"');
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
