import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { afterAll, expect, test } from '@jest/globals';
import { connectAs } from './support/callers.ts';
import { expectPages } from './support/expect-pages.ts';
import { startService } from './support/start-service.ts';

const cluster = await startTestCluster();
const service = await startService({ redisUrl: cluster.url });
afterAll(async () => {
  await service.close();
  await cluster.close();
});

test('creates, finds, leases and completes tasks on a Redis Cluster', async () => {
  const agentId = await service.createAgent();
  const waiting = service.leaseByType('claude', { wait_seconds: 20 });
  await service.createTasks(agentId, 2, { tags: ['a b'] });
  const lease = (await waiting).body.leases[0];
  const [first, second] = (await service.http.get(`/agents/${agentId}/tasks`).expect(200)).body;
  expect(lease.task.id).toBe(first.id);
  const { id, token } = lease;
  const heartbeat = { token, progress: { percent: 1 } };
  await service.http.put(`/leases/${id}/heartbeat`).send(heartbeat).expect(200);
  await service.report(lease, { status: 'completed', result: 1 }).expect(200);
  await service.http.put(`/agents/${agentId}`).send({ name: 'x', type: 'gpt' }).expect(200);
  const found = await service.http.get('/tasks?tag=a+b&type=gpt&status=pending').expect(200);
  expect(found.body).toEqual([second]);
  expect(found.headers['x-total-count']).toBe('1');
  const events = (await service.http.get('/events').expect(200)).body as { type: string }[];
  expect(events.map(({ type }) => type).join(' ')).toBe(
    'agent.created task.created task.created task.leased agent.status task.progress task.completed agent.status agent.replaced',
  );
  await service.http.delete(`/agents/${agentId}`).expect(204);
  expect(await service.total('/tasks')).toBe(0);
});

test('pages and filters agents on a Redis Cluster', async () => {
  const ids: string[] = [];
  for (const type of ['claude', 'gpt', 'claude', 'gemini', 'gpt']) ids.push(await service.createAgent(type));
  const list = async (query: string) => {
    const { body, headers } = await service.http.get(`/agents${query}`).expect(200);
    return [body.map(({ id }: { id: string }) => ids.indexOf(id)).join(''), headers['x-total-count']];
  };
  expect(await list('')).toEqual(['01234', '5']);
  expect(await list('?skip=1&limit=2')).toEqual(['12', '5']);
  expect(await list('?type=gpt&status=idle')).toEqual(['14', '2']);
  for (const id of ids) await service.createTask(id);
  expect((await service.http.get('/tasks').expect(200)).body).toHaveLength(5);
});

test('pages the agents and tasks of a limited key on a Redis Cluster', async () => {
  const [first, second, third] = [
    await service.createAgent(),
    await service.createAgent(),
    await service.createAgent(),
  ];
  for (let at = 0; at < 20; at++) {
    const { id } = await service.createTask([first, second, third][at % 3] as string);
    if (at % 4 === 0)
      await service.http.put(`/agents/${[first, second, third][at % 3]}/tasks/${id}/cancellation`).expect(200);
  }
  const client = connectAs(service.url, 'key:a', { agents: [third, first] });
  const isVisible = ({ agent_id }: { agent_id: string }) => agent_id === first || agent_id === third;
  const tasks = (await service.http.get('/tasks')).body.filter(isVisible);
  await expectPages(client, '/tasks', {}, { skip: 1, limit: 3 }, tasks);
  const agents = (await service.http.get('/agents')).body as { id: string }[];
  const own = agents.filter(({ id }) => id === first || id === third);
  await expectPages(client, '/agents', {}, { skip: 0, limit: 1 }, own);
  const newest = agents.map(({ id }) => ({ id, paused_at: null })).toReversed();
  await expectPages(service, '/agents', { order: 'desc', fields: 'paused_at' }, { skip: 0, limit: 2 }, newest);
  await expectPages(service, '/tasks', { status: 'nope', worker_id: 'w', tag: 'a' }, { skip: 0, limit: 2 }, []);
});
