import { createIdentityKeys } from '@agent-fleet/shared/identity/keys';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const service = await startService();
const { redis } = service;
const stream = createIdentityKeys(service.prefix).audit;
afterAll(() => service.close());
afterEach(() => redis.del(stream));

const ada = connectAs(service.url, 'user:ada@example.com');
const eve = connectAs(service.url, 'oidc:corp:42', { name: 'eve%40example.com' });
const key = connectAs(service.url, 'key:deploy');

async function readAudit(): Promise<{ action: string; target: { type: string; id: string } }[]> {
  return (await redis.xrange(stream, '-', '+')).map(([, [, json]]) => JSON.parse(json as string));
}

test('records each change of agents and tasks by a person, before the reply', async () => {
  const agent = await ada.createAgent();
  await ada.http.put(`/agents/${agent}`).send({ name: 'y', type: 'gpt' }).expect(200);
  const tasks = `/agents/${agent}/tasks`;
  const { id } = await ada.createTask(agent);
  await ada.http.put(`${tasks}/${id}`).send({ message: 'z' }).expect(200);
  await ada.http.put(`${tasks}/${id}/cancellation`).expect(200);
  const retry = (await ada.http.post(`${tasks}/${id}/retries`).expect(201)).body.id;
  const filter = { agent_id: agent, status: 'pending' };
  await ada.http.post('/bulk-actions').send({ action: 'cancel', filter, dry_run: true }).expect(200);
  const { body: action } = await ada.http.post('/bulk-actions').send({ action: 'cancel', filter }).expect(202);
  await ada.http.put(`/agents/${agent}/pause`).expect(200);
  await ada.http.delete(`/agents/${agent}/pause`).expect(204);
  await ada.http.delete(`${tasks}/${id}`).expect(204);
  await ada.createTasks(agent, 60);
  await ada.http.delete(`/agents/${agent}`).expect(204);
  const seen = await readAudit();
  expect(seen.map(({ action, target }) => [action, target.type, target.id])).toEqual([
    ['agent.created', 'agent', agent],
    ['agent.replaced', 'agent', agent],
    ['task.created', 'task', id],
    ['task.replaced', 'task', id],
    ['task.cancelled', 'task', id],
    ['task.retried', 'task', retry],
    ['bulk_action.created', 'bulk_action', action.id],
    ['agent.paused', 'agent', agent],
    ['agent.resumed', 'agent', agent],
    ['task.deleted', 'task', id],
    ['tasks.created', 'agent', agent],
    ['agent.deleted', 'agent', agent],
  ]);
});

test('records who it was, from where, and by which request', async () => {
  const headers = { 'x-forwarded-for': '2001:db8::7', 'x-request-id': 'request-1' };
  const { body } = await eve.http.post('/agents').set(headers).send({ name: 'x', type: 'gpt' }).expect(201);
  expect(await readAudit()).toEqual([
    {
      actor: { type: 'oidc', id: 'id-of-oidc:corp:42', name: 'eve@example.com' },
      action: 'agent.created',
      target: { type: 'agent', id: body.id },
      outcome: 'success',
      address: '2001:db8::7',
      request_id: 'request-1',
    },
  ]);
});

test('records no body, and nothing of keys, workers, reads, refused changes, replays and callers without a name', async () => {
  const agent = await key.createAgent();
  await key.createTask(agent, { message: 'secret' });
  await service.createTask(agent);
  const [lease] = (await ada.lease(agent)).body.leases;
  const log = { token: lease.token, entries: [{ text: 'secret' }] };
  await ada.http.post(`/leases/${lease.id}/log-entries`).send(log).expect(204);
  await ada.report(lease, { status: 'completed' }).expect(200);
  await ada.http.get(`/agents/${agent}`).expect(200);
  await ada.http.get('/tasks').expect(200);
  await ada.http.post('/agents').send({}).expect(400);
  await ada.http.put(`/agents/${agent}`).set('if-match', '"x"').send({ name: 'y', type: 'gpt' }).expect(412);
  await ada.http.delete('/agents/missing').expect(404);
  expect(await readAudit()).toEqual([]);
  const create = () => ada.http.post(`/agents/${agent}/tasks`).set('idempotency-key', 'a').send({ message: 'secret' });
  const [{ body }] = [await create().expect(201), await create().expect(201)];
  const seen = await readAudit();
  expect(seen.map(({ target }) => target.id)).toEqual([body.id]);
  expect(JSON.stringify(seen)).not.toContain('secret');
});
