import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { connectAs } from '../support/callers.ts';
import { expectPages } from '../support/expect-pages.ts';
import { type StartedService, startService } from '../support/start-service.ts';

const TYPES = ['claude', 'gpt', 'gemini'];
const TAGS = ['a', 'b:status:pending', 'ü %'];
const service = await startService();
afterAll(() => service.close());

interface Task {
  id: string;
  agent_id: string;
  status: string;
  tags: string[] | null;
}

interface Agent {
  id: string;
  type: string;
  status: string;
}

const pick = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;

/** Creates agents with tasks in turn, so that their ids are mixed. */
async function fill({ http, ...client }: StartedService, agents: number, tasks: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < agents; at++) ids.push(await client.createAgent(TYPES[at % TYPES.length]));
  for (let at = 0; at < tasks; at++) {
    const agent = pick(ids);
    const { id } = await client.createTask(agent, { tags: Math.random() < 0.5 ? [pick(TAGS)] : null });
    if (at % 3 === 0) await http.put(`/agents/${agent}/tasks/${id}/cancellation`).expect(200);
    if (at % 7 === 0) await client.lease(agent, { lease_seconds: 900 });
  }
  return ids;
}

const ids = await fill(service, 12, 150);
await service.http.put(`/agents/${ids[3]}`).send({ name: 'y', type: 'gemini' }).expect(200);
const deleted = ids[5] as string;
await service.http.delete(`/agents/${deleted}`).expect(204);
const allAgents = (await service.http.get('/agents?limit=1000')).body as Agent[];
const allTasks = (await service.http.get('/tasks?limit=1000')).body as Task[];

const optional = (values: readonly string[]) => fc.option(fc.constantFrom(...values, 'none'), { nil: undefined });
const limits = fc.uniqueArray(fc.constantFrom(...ids, 'no-uuid', '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12'));
const page = { skip: fc.integer({ min: 0, max: 120 }), limit: fc.integer({ min: 1, max: 60 }) };

test('lists only the agents of a key, oldest first, with exact totals and links', async () => {
  const property = fc.asyncProperty(
    limits,
    fc.record({ type: optional(TYPES), status: optional(['idle', 'active', 'error']) }),
    fc.record(page),
    async (agents, { type, status }, part) => {
      const matching = allAgents.filter(
        (agent) =>
          agents.includes(agent.id) && (type ?? agent.type) === agent.type && (status ?? agent.status) === agent.status,
      );
      await expectPages(connectAs(service.url, 'key:a', { agents }), '/agents', { type, status }, part, matching);
    },
  );
  await fc.assert(property, { numRuns: 80 });
});

test('searches only the tasks of the agents of a key, oldest first, with exact totals and links', async () => {
  const typeOf = new Map(allAgents.map(({ id, type }) => [id, type]));
  const property = fc.asyncProperty(
    limits,
    fc.record({
      type: optional(TYPES),
      status: optional(['pending', 'cancelled', 'running']),
      tag: optional(TAGS),
      agent_id: optional(ids),
    }),
    fc.record(page),
    async (agents, { type, status, tag, agent_id }, part) => {
      const matching = allTasks.filter(
        (task) =>
          agents.includes(task.agent_id) &&
          (agent_id ?? task.agent_id) === task.agent_id &&
          (type ?? typeOf.get(task.agent_id)) === typeOf.get(task.agent_id) &&
          (status ?? task.status) === task.status &&
          (tag === undefined || task.tags?.includes(tag)),
      );
      const filter = { type, status, tag, agent_id };
      await expectPages(connectAs(service.url, 'key:a', { agents }), '/tasks', filter, part, matching);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test('a filter by an agent that the key may not see finds nothing', async () => {
  const client = connectAs(service.url, 'key:a', { agents: [ids[0] as string] });
  for (const agent of [ids[1], deleted, 'no-uuid']) {
    const { body, headers } = await client.http.get(`/tasks?agent_id=${agent}`).expect(200);
    expect([body, headers['x-total-count'], headers.link]).toEqual([[], '0', undefined]);
  }
});

test('refuses a list of statuses for a key with so many agents that it would read more than 100 indexes', async () => {
  const other = ids.map((_, at) => `01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a${at + 10}`);
  await using own = await startService();
  const agents: string[] = [];
  for (let at = 0; at < 51; at++) agents.push(await own.createAgent());
  await own.createTasks(agents[0] as string, 3);
  const search = (agents: string[], query: string) =>
    connectAs(own.url, 'key:a', { agents }).http.get(`/tasks?${query}`);
  const { body } = await search(agents, 'status=pending,running').expect(400);
  expect(body.details.fields).toMatchObject([{ path: 'status', code: 'too_many_statuses' }]);
  for (const query of ['status=pending', 'status=pending,running,completed,failed,cancelled', 'status=pending,nope']) {
    expect((await search(agents, query).expect(200)).body).toHaveLength(3);
  }
  expect((await search(agents, `status=pending,running&agent_id=${agents[0]}`).expect(200)).body).toHaveLength(3);
  expect((await search([...agents.slice(1), ...other], 'status=pending,running').expect(200)).body).toEqual([]);
});

test('reads a page of 2,000 tasks of 100 agents, at a cost that depends on no others', async () => {
  await using own = await startService({ ownRedis: true });
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

test('pages the agents and tasks of a key on a Redis Cluster', async () => {
  const cluster = await startTestCluster();
  try {
    await using clustered = await startService({ redisUrl: cluster.url });
    const [first, second, third] = (await fill(clustered, 3, 20)) as [string, string, string];
    const client = connectAs(clustered.url, 'key:a', { agents: [third, first] });
    const tasks = ((await clustered.http.get('/tasks')).body as Task[]).filter(({ agent_id }) => agent_id !== second);
    await expectPages(client, '/tasks', {}, { skip: 1, limit: 3 }, tasks);
    const agents = ((await clustered.http.get('/agents')).body as Agent[]).filter(({ id }) => id !== second);
    await expectPages(client, '/agents', {}, { skip: 0, limit: 1 }, agents);
    const newest = [third, second, first].map((id) => ({ id, paused_at: null }));
    const parameters = { order: 'desc', fields: 'paused_at' };
    await expectPages(clustered, '/agents', parameters, { skip: 0, limit: 2 }, newest);
    await expectPages(clustered, '/tasks', { status: 'nope', worker_id: 'w', tag: 'a' }, { skip: 0, limit: 2 }, []);
  } finally {
    await cluster.close();
  }
});
