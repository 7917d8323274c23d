import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const service = await startService();
afterAll(() => service.close());

const [mine, other] = [await service.createAgent('claude'), await service.createAgent('gpt')];
const task = await service.createTask(other);
const key = connectAs(service.url, 'key:limited', { agents: [mine, 'no-uuid', '../x', '*', ''] });

const AGENT_NOT_FOUND = { detail: 'Agent not found' };
const MISSING = '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12';

type Method = 'get' | 'post' | 'put' | 'delete';
const OF_AGENT: [Method, string][] = [
  ['get', ''],
  ['put', ''],
  ['delete', ''],
  ['get', '/tasks'],
  ['post', '/tasks'],
  ['post', '/task-batches'],
  ['get', `/tasks/${task.id}`],
  ['put', `/tasks/${task.id}`],
  ['delete', `/tasks/${task.id}`],
  ['put', `/tasks/${task.id}/cancellation`],
  ['get', `/tasks/${task.id}/attempts`],
  ['get', '/usage'],
  ['post', '/leases'],
  ['get', '/events'],
  ['get', `/tasks/${task.id}/events`],
];

test.each(OF_AGENT)('%s /agents/{other}%s is 404, as for an agent that does not exist', async (method, path) => {
  const replies = [other, MISSING, 'no-uuid', other.toUpperCase()].map((id) =>
    key.http[method](`/agents/${id}${path}`).set('content-type', 'text/plain'),
  );
  for (const reply of await Promise.all(replies)) expect([reply.status, reply.body]).toEqual([404, AGENT_NOT_FOUND]);
  expect((await service.http.get(`/agents/${other}/tasks/${task.id}`)).body).toEqual(task);
});

test('finds another agent neither by an encoded path nor by HEAD', async () => {
  for (const id of [`%${other.charCodeAt(0).toString(16)}${other.slice(1)}`, `${other}%00`, `${other}%2F`]) {
    await key.http.get(`/agents/${id}`).expect(404);
  }
  await key.http.head(`/agents/${other}`).expect(404);
  await key.http.head(`/agents/${mine}`).expect(200);
});

test('reads, changes and works for its own agents', async () => {
  await key.http.get(`/agents/${mine}`).expect(200);
  await key.http.put(`/agents/${mine}`).send({ name: 'y', type: 'claude' }).expect(200);
  const { id } = await key.createTask(mine);
  const { body } = await key.lease(mine);
  expect(body.leases[0].task.id).toBe(id);
  await key.report(body.leases[0], { status: 'completed' }).expect(200);
  await key.http.get(`/agents/${mine}/tasks/${id}/events`).expect(200);
  await key.http.get(`/agents/${mine}/usage`).expect(200);
  await key.http.delete(`/agents/${mine}/tasks/${id}`).expect(204);
});

test('has no use of the lease of another agent, also with its token', async () => {
  const [lease] = (await service.lease(other)).body.leases;
  const ids = [lease.id, lease.id.replace(other, mine), `${mine}.x.1`, 'x', `${mine}.${task.id}.1`];
  for (const id of ids) {
    const { token } = lease;
    const replies = await Promise.all([
      key.http.put(`/leases/${id}/heartbeat`).send({ token }),
      key.http.put(`/leases/${id}/result`).send({ token, status: 'completed' }),
      key.http.delete(`/leases/${id}`).set('x-lease-token', token),
    ]);
    for (const { status, body } of replies) expect([status, body]).toEqual([404, { detail: 'Lease not found' }]);
  }
  await key.http.put(`/leases/${lease.id}/result`).set('content-type', 'text/plain').expect(404);
  await service.release(lease).expect(204);
});

test('cannot create an agent, whatever the body is', async () => {
  for (const body of [{ name: 'x', type: 'claude' }, {}]) {
    const refused = await key.http.post('/agents').send(body).expect(403);
    expect(refused.body).toEqual({ error: 'forbidden', message: expect.any(String) });
  }
  await key.http.post('/agents').set('content-type', 'text/plain').send('x').expect(403);
});

test('neither retries nor continues the task of another agent, nor learns whether there is one', async () => {
  await service.http.put(`/agents/${other}/tasks/${task.id}/cancellation`).expect(200);
  for (const field of ['retry_of', 'continue_of']) {
    const create = (id: string) => key.http.post(`/agents/${mine}/tasks`).send({ message: 'x', [field]: id });
    const [known, unknown] = [await create(task.id).expect(422), await create(MISSING).expect(422)];
    expect(known.body).toEqual(unknown.body);
  }
});

test('gets no reply about another agent by an Idempotency-Key', async () => {
  const post = (client: typeof key, id: string) =>
    client.http.post(`/agents/${id}/tasks`).set('idempotency-key', 'one').send({ message: 'x' });
  const unlimited = connectAs(service.url, 'key:limited');
  await post(unlimited, other).expect(201);
  await post(key, other).expect(404, AGENT_NOT_FOUND);
  const own = await post(key, mine).expect(201);
  expect(own.headers['idempotency-replayed']).toBeUndefined();
});

test('an empty limit, one of texts that are no ids, and one without a principal allow nothing', async () => {
  for (const agents of [[], ['*'], [''], ['no-uuid', '%2A']]) {
    const nobody = connectAs(service.url, 'key:nobody', { agents });
    await nobody.http.get(`/agents/${mine}`).expect(404);
    expect([await nobody.total('/agents'), await nobody.total('/tasks')]).toEqual([0, 0]);
    expect((await nobody.leaseByType('claude')).status).toBe(204);
    expect((await nobody.http.get('/events').expect(200)).body).toEqual([]);
    await nobody.http.post('/agents').send({ name: 'x', type: 'claude' }).expect(403);
  }
  await service.http.get(`/agents/${mine}`).set('x-fleet-agents', mine).expect(404);
});

test('sees nothing of an agent of its own that was deleted', async () => {
  const agent = await service.createAgent();
  await service.createTask(agent);
  const limited = connectAs(service.url, 'key:short', { agents: [agent] });
  expect([await limited.total('/agents'), await limited.total('/tasks')]).toEqual([1, 1]);
  const waiting = limited.leaseByType('gpt', { wait_seconds: 1 });
  await sleep(100);
  await limited.http.delete(`/agents/${agent}`).expect(204);
  expect([await limited.total('/agents'), await limited.total('/tasks')]).toEqual([0, 0]);
  await limited.http.get(`/agents/${agent}`).expect(404, AGENT_NOT_FOUND);
  expect((await waiting).status).toBe(204);
});
