import { expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const service = await startService();

const mine = await service.createAgent('claude');

test('finds no other agent by an encoded path', async () => {
  const other = await service.createAgent('gpt');
  const { http } = connectAs(service.url, 'key:limited', { agents: [mine, 'no-uuid', '../x', '*', ''] });
  await http.get(`/agents/${mine}`).expect(200);
  for (const id of [`%${other.charCodeAt(0).toString(16)}${other.slice(1)}`, `${other}%00`, `${other}%2F`]) {
    await http.get(`/agents/${id}`).expect(404);
  }
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

test('refuses a list of statuses for a key with so many agents that it would read more than 100 indexes', async () => {
  const other = Array.from({ length: 12 }, (_, at) => `01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a${at + 10}`);
  const own = await startService();
  const agents: string[] = [];
  for (let at = 0; at < 51; at++) agents.push(await own.createAgent());
  await own.createTasks(agents[0] as string, 3);
  const search = (agents: string[], query: string) =>
    connectAs(own.url, 'key:a', { agents }).http.get(`/tasks?${query}`);
  const { body } = await search(agents, 'status=pending,running').expect(400);
  expect(body.details.fields).toMatchObject([{ path: 'status', code: 'too_many_statuses' }]);
  for (const query of [
    'status=pending',
    'status=pending,running,input_required,completed,failed,cancelled',
    'status=pending,nope',
  ]) {
    expect((await search(agents, query).expect(200)).body).toHaveLength(3);
  }
  expect((await search(agents, `status=pending,running&agent_id=${agents[0]}`).expect(200)).body).toHaveLength(3);
  expect((await search([...agents.slice(1), ...other], 'status=pending,running').expect(200)).body).toEqual([]);
});

test('reads a page of 2,000 tasks of 100 agents, at a cost that depends on no others', async () => {
  const own = await startService({ ownRedis: true });
  const agents: string[] = [];
  for (let at = 0; at < 100; at++) agents.push(await own.createAgent());
  for (const agent of agents) await own.createTasks(agent, 20);
  const client = connectAs(own.url, 'key:a', { agents });
  const expected = (await own.http.get('/tasks?limit=1000&skip=500')).body;
  const other = await own.createAgent();
  const readPage = async () => {
    await own.redis.config('RESETSTAT');
    const { body, headers } = await client.http.get('/tasks?limit=1000&skip=500').expect(200);
    expect([body, headers['x-total-count']]).toEqual([expected, '2000']);
    return Number(/cmdstat_zlexcount:calls=(\d+)/.exec(await own.redis.info('commandstats'))?.[1]);
  };
  // A few rounds, each with a look at up to 100 indexes.
  expect(await readPage()).toBeLessThan(3_000);
  for (let at = 0; at < 6; at++) await own.createTasks(other, 500);
  expect(await readPage()).toBeLessThan(3_000);
  expect((await client.http.get('/agents?limit=1000')).body).toHaveLength(100);
});
